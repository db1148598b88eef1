import { expect } from "chai";
import fc from "fast-check";
import { PiiDeidentifier, type Restored } from "../../../../../sdk/safety/pii/mask/deidentifier.ts";
import { LONGEST_PLACEHOLDER } from "../../../../../sdk/safety/pii/mask/placeholder.ts";
import { anyText, maskedBy, ofSession, tagged } from "../support.ts";

const WORD = `0x${"5c504ed432cb51138bcf09aa5e8a410d".repeat(2)}`;
const ADDRESS = "0x52908400098527886E0F7030069857D2E4169EE7";

function streamed(session: PiiDeidentifier, pieces: readonly string[]): Restored {
  const stream = session.stream();
  const text = pieces.map((piece) => stream.push(piece)).join("") + stream.end();

  return { text, unknown: stream.unknown, withheld: stream.withheld };
}

/** What a model may answer to the masked form of a text: that text, with placeholders of its own making. */
const answers = anyText.map((any) => {
  const session = new PiiDeidentifier();
  const text = ofSession(session, any);
  session.mask(WORD, "tool");
  const result = session.mask(text, "tool");

  return {
    session,
    answer: `${result.kind === "masked" ? result.text : text} ${tagged(session, "[WALLET_99] [HEX_1] https://a.b/[HEX_1]")} [X`,
  };
});

describe("A restored stream", () => {
  it("equals the restored whole for every cut into two pieces", () => {
    fc.assert(
      fc.property(answers, ({ session, answer }) => {
        const whole = session.restoreReporting(answer);
        for (let cut = 0; cut <= answer.length; cut += 1) {
          expect(streamed(session, [answer.slice(0, cut), answer.slice(cut)])).to.deep.equal(whole);
        }
      }),
      { numRuns: 150 },
    );
  });

  it("equals the restored whole for any cuts, down to single characters", () => {
    fc.assert(
      fc.property(answers, fc.array(fc.integer({ min: 0, max: 7 }), { minLength: 1 }), ({ session, answer }, sizes) => {
        const pieces: string[] = [];
        for (let at = 0, turn = 0; at < answer.length; turn += 1) {
          const size = turn > 3 * answer.length ? 1 : (sizes[turn % sizes.length] ?? 1);
          pieces.push(answer.slice(at, at + size));
          at += size;
        }
        expect(streamed(session, pieces)).to.deep.equal(session.restoreReporting(answer));
      }),
      { numRuns: 1000 },
    );
  });

  it("holds back only what may become a placeholder", () => {
    const session = new PiiDeidentifier();
    maskedBy(session, ADDRESS);
    const stream = session.stream();

    expect(stream.push("send to [")).to.equal("send to ");
    expect(stream.push("WALLET_")).to.equal("");
    expect(stream.push("1_")).to.equal("");
    expect(stream.push(session.tag)).to.equal("");
    expect(stream.push("] and [not one")).to.equal(`${ADDRESS} and [not one`);
    expect(stream.push(" a[0] = [A]")).to.equal(" a[0] = [A]");
    expect(stream.push("[")).to.equal("");
    expect(stream.end()).to.equal("[");
  });

  it("never holds back more than the longest placeholder", () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[[\]A-Z_0-9a-z]{0,9}$/), { maxLength: 60 }), (pieces) => {
        const stream = new PiiDeidentifier().stream();
        let sent = 0;
        let received = 0;
        for (const piece of pieces) {
          sent += piece.length;
          received += stream.push(piece).length;
          expect(sent - received).to.be.lessThan(LONGEST_PLACEHOLDER);
        }
        expect(received + stream.end().length).to.equal(sent);
      }),
      { numRuns: 1000 },
    );
  });

  it("keeps two streams of one session apart", () => {
    const session = new PiiDeidentifier();
    maskedBy(session, ADDRESS);
    const one = session.stream();
    const other = session.stream();

    expect(one.push("a [WALL")).to.equal("a ");
    const rest = tagged(session, "[WALLET_1]").slice("[WALL".length);
    expect(other.push(rest)).to.equal(rest);
    expect(one.push(rest)).to.equal(ADDRESS);
    expect(other.end() + one.end()).to.equal("");
  });

  it("escapes values in streamed JSON, so that it still parses", () => {
    const session = new PiiDeidentifier();
    const value = 'say "hi"\n\\ once';
    const masked = session.maskFound(value, [{ rule: "PERSON", action: "mask", start: 0, end: value.length }]);
    expect(masked).to.have.property("text", tagged(session, "[PERSON_1]"));
    const source = JSON.stringify({ note: tagged(session, "for [PERSON_1], [PERSON_2]") });

    for (let cut = 0; cut <= source.length; cut += 1) {
      const stream = session.stream("json");
      const restored = stream.push(source.slice(0, cut)) + stream.push(source.slice(cut)) + stream.end();
      expect(JSON.parse(restored)).to.deep.equal({ note: tagged(session, `for ${value}, [PERSON_2]`) });
    }
  });
});
