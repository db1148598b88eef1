import { expect } from "chai";
import fc from "fast-check";
import { type Address, type Hex, numberToHex } from "viem";
import {
  creditsOf,
  grownConfidence,
  independentsIn,
  initialConfidence,
  isBold,
  isInflated,
  OUTSIDE_CAP,
  propagationOf,
  type Standing,
  timeToLive,
  type Voice,
} from "../../../sdk/ingestion/confidence.ts";
import { type Channel, ENTRY_TYPES, PROVENANCES } from "../../../sdk/ingestion/entry.ts";
import { draft } from "./support/agents.ts";

const hash = (number: number): Hex => `0x${number.toString(16).padStart(64, "0")}`;

const key = (number: number): Address => numberToHex(number, { size: 20 });

/** `owner`: of the agent's number; its wallet is its own. */
function voice(author: number, text: number, channel: Channel, owner = author): Voice {
  const controller = { wallet: key(1_000 + author), owner: key(2_000 + owner) };

  return {
    canonicalHash: hash(text),
    source: { ...channel, ...draft({ agentId: BigInt(author) }).signed, controller },
  };
}

function unknown(author: number, text: number, channel: Channel): Voice {
  const { canonicalHash, source } = voice(author, text, channel);
  const { controller: _, ...rest } = source;

  return { canonicalHash, source: rest };
}

const ways: fc.Arbitrary<Channel> = fc.record(
  {
    provenance: fc.constantFrom(...PROVENANCES),
    onChainAnchor: fc.integer({ min: 1, max: 3 }).map(hash),
    listingId: fc.constantFrom("one", "two"),
    batchId: fc.constantFrom("one", "two"),
  },
  { requiredKeys: ["provenance"] },
);
const voices = fc.record({
  author: fc.integer({ min: 1, max: 6 }),
  text: fc.integer({ min: 1, max: 6 }),
  channel: ways,
});
const heard = voices.map(({ author, text, channel }) => voice(author, text, channel));
const standings: fc.Arbitrary<Standing> = fc.record({
  initial: fc.double({ min: 0, max: 0.2, noNaN: true }),
  credit: fc.double({ min: 0, max: 1_000, noNaN: true }),
  uses: fc.nat(1_000),
  unconfirmedFor: fc.nat(400 * 86_400_000),
  timeToLive: fc.constantFrom(...PROVENANCES.map(timeToLive)),
  penalty: fc.double({ min: 0, max: 1, noNaN: true }),
});
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

describe("Claims of confidence", () => {
  const mostOf = (channel: Channel) =>
    Array.from({ length: 10_001 }, (_, bps) => bps).findLast((bps) => !isInflated(channel, bps));

  it("may be as high of kin as what a golem knows itself, and never higher of strangers than of kin", () => {
    for (const generation of [1, 2, 3]) expect(mostOf({ provenance: "inheritance", generation })).to.equal(9_000);
    expect(mostOf({ provenance: "clade" })).to.equal(9_000);
    expect(mostOf({ provenance: "purchased" })).to.equal(8_333);
    for (const provenance of ["cross_user", "commons", "archive"] as const) {
      expect(mostOf({ provenance })).to.equal(8_000);
    }
  });

  it("are bold wherever they are inflated, and never raise what an entry begins with", () => {
    fc.assert(
      fc.property(ways, fc.nat(10_000), (channel, bps) => {
        if (isInflated(channel, bps)) expect(isBold(channel, bps)).to.equal(true);
        expect(initialConfidence(channel, bps)).to.be.at.most(0.2);
      }),
    );
    expect(isBold({ provenance: "inheritance" }, 5_882)).to.equal(false);
    expect(isBold({ provenance: "inheritance" }, 5_883)).to.equal(true);
  });
});

describe("Confidence of outside knowledge", () => {
  it("never rises above its cap, nor falls below nothing", () => {
    fc.assert(
      fc.property(standings, (standing) => {
        const confidence = grownConfidence(standing);

        expect(confidence).to.be.at.least(0).and.at.most(OUTSIDE_CAP);
      }),
      { numRuns: 500 },
    );
  });

  it("begins at most at the cap of its way, whatever is claimed", () => {
    fc.assert(
      fc.property(ways, fc.nat(10_000), (channel, claimed) => {
        expect(initialConfidence(channel, claimed)).to.be.at.least(0).and.at.most(0.2);
      }),
    );
  });

  it("never falls for a voice more, and rises for one that is independent", () => {
    fc.assert(
      fc.property(heard, fc.array(heard, { maxLength: 8 }), heard, standings, (piece, before, next, standing) => {
        const [without, along] = [creditsOf(piece, before), creditsOf(piece, [...before, next])];
        expect(along.slice(0, -1)).to.deep.equal(without);
        const confidence = (credits: readonly number[]) =>
          grownConfidence({ ...standing, credit: sum(credits), penalty: 0, unconfirmedFor: 0 });
        expect(confidence(along)).to.be.at.least(confidence(without));
        if (along.at(-1) === 1) expect(confidence(along)).to.be.greaterThan(confidence(without));
      }),
      { numRuns: 300 },
    );
  });

  it("gains nothing by the same words, whoever says them, nor by an author who has spoken", () => {
    fc.assert(
      fc.property(heard, fc.array(heard, { maxLength: 8 }), heard, (piece, before, next) => {
        const spoken = [piece, ...before];
        const isRepeated = spoken.some(
          ({ canonicalHash, source }) => canonicalHash === next.canonicalHash || source.agentId === next.source.agentId,
        );
        const credit = creditsOf(piece, [...before, next]).at(-1);

        expect(credit === 0).to.equal(isRepeated);
      }),
      { numRuns: 500 },
    );
  });

  it("hears an owner once, whatever agents speak for it, and so a wallet, and all of whom nobody knows who they are", () => {
    const others = fc.array(fc.record({ text: fc.integer({ min: 2, max: 40 }), channel: ways }), { maxLength: 12 });
    fc.assert(
      fc.property(others, ways, (said, channel) => {
        const all = said.map((each, at) => ({ ...each, author: at + 2 }));
        const ofOneOwner = all.map(({ author, text, channel: way }) => voice(author, text, way, 1));
        const ofOneWallet = all.map(({ author, text, channel: way }) => {
          const { canonicalHash, source } = voice(author, text, way);

          return { canonicalHash, source: { ...source, controller: { wallet: key(2_001), owner: key(author) } } };
        });
        const ofNobody = all.map(({ author, text, channel: way }) => unknown(author, text, way));

        expect(sum(creditsOf(voice(1, 1, channel), ofOneOwner))).to.equal(0);
        expect(sum(creditsOf(voice(1, 1, channel), ofOneWallet)), "a wallet that is the owner elsewhere").to.equal(0);
        expect(sum(creditsOf(unknown(1, 1, channel), ofNobody))).to.equal(0);
      }),
      { numRuns: 300 },
    );
  });

  it("counts half of a voice with the same upstream, and less than one voice for all of them", () => {
    const purchase = { provenance: "purchased", onChainAnchor: hash(1) } as const;
    const credits = (channel: (at: number) => Channel) =>
      creditsOf(
        voice(1, 1, channel(0)),
        Array.from({ length: 40 }, (_, at) => voice(at + 2, at + 2, channel(at + 1))),
      );

    expect(credits(() => purchase).slice(0, 3)).to.deep.equal([0.5, 0.25, 0.125]);
    expect(sum(credits(() => purchase))).to.be.below(1 + 1e-9);
    expect(credits((at) => ({ provenance: "purchased", onChainAnchor: hash(at) })).slice(0, 3)).to.deep.equal([
      1, 1, 1,
    ]);
    expect(credits(() => ({ provenance: "archive" }))[0]).to.equal(0.5);
    expect(credits(() => ({ provenance: "commons" }))[0]).to.equal(0.5);
    expect(credits(() => ({ provenance: "clade", cladeId: "north" })).slice(0, 2)).to.deep.equal([1, 1]);
    expect(credits(() => ({ ...purchase, provenance: "clade", cladeId: "north" }))[0]).to.equal(0.5);
  });

  it("goes nowhere by one source, however often it speaks and however well it is used", () => {
    fc.assert(
      fc.property(
        fc.record({ piece: voices, others: fc.array(voices, { maxLength: 30 }) }),
        fc.constantFrom("agent", "origin", "owner", "nobody"),
        standings,
        fc.constantFrom(...ENTRY_TYPES),
        ({ piece, others }, kind, standing, entryType) => {
          // One agent, one origin under the names of many, many agents of one owner, or many of whom nobody knows whose they are.
          const origin: Channel = { provenance: "purchased", onChainAnchor: hash(9) };
          const says = {
            agent: (_: number, text: number, channel: Channel) => voice(2, text, channel),
            origin: (author: number, text: number) => voice(author + 1, text, origin),
            owner: (author: number, text: number, channel: Channel) => voice(author + 1, text, channel, 99),
            nobody: (author: number, text: number, channel: Channel) => unknown(author + 1, text, channel),
          }[kind];
          const credits = creditsOf(
            voice(1, piece.text, kind === "origin" ? origin : piece.channel),
            others.map(({ author, text, channel }) => says(author, text, channel)),
          );
          const confidence = grownConfidence({ ...standing, credit: sum(credits), unconfirmedFor: 0, penalty: 0 });
          const independents = independentsIn(credits);

          expect(independents).to.be.at.most(1);
          expect(propagationOf({ entryType, confidence, uses: standing.uses, independents })).to.equal(undefined);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("loses half in every time to live without a voice", () => {
    const timeToLiveOf = timeToLive("purchased");
    const at = (days: number) =>
      grownConfidence({
        initial: 0.2,
        credit: 0,
        uses: 0,
        unconfirmedFor: days * 86_400_000,
        timeToLive: timeToLiveOf,
        penalty: 0,
      });

    expect([0, 13.9, 14, 28, 42].map(at)).to.deep.equal([0.2, 0.2, 0.1, 0.05, 0.025]);
  });

  it("passes each gate at its threshold and not before", () => {
    const open = (piece: Parameters<typeof propagationOf>[0]) => propagationOf(piece);

    expect(open({ entryType: "warning", confidence: 0.4, uses: 0 })).to.equal("clade");
    expect(open({ entryType: "warning", confidence: 0.399, uses: 0 })).to.equal(undefined);
    expect(open({ entryType: "insight", confidence: 0.6, uses: 0 })).to.equal("clade");
    expect(open({ entryType: "insight", confidence: 0.599, uses: 0 })).to.equal(undefined);
    expect(open({ entryType: "heuristic", confidence: 0.7, uses: 5 })).to.equal("commons");
    expect(open({ entryType: "heuristic", confidence: 0.9, uses: 4 })).to.equal(undefined);
    expect(open({ entryType: "heuristic", confidence: 0.7, uses: 3, independents: 2 })).to.equal("commons");
    expect(open({ entryType: "warning", confidence: 0.9, uses: 9, independents: 1 })).to.equal(undefined);
    for (const entryType of ["strategy_fragment", "causal_link"] as const)
      expect(open({ entryType, confidence: 1, uses: 99 })).to.equal(undefined);
  });
});
