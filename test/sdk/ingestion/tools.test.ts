import { expect } from "chai";
import { canonicalHash, type QuarantinedEntry } from "../../../sdk/ingestion/entry.ts";
import { IngestionError } from "../../../sdk/ingestion/errors.ts";
import type { CladeParts, EventSink, GolemEvent, QuarantineParts } from "../../../sdk/ingestion/index.ts";
import { Consensus } from "../../../sdk/ingestion/judge/consensus/consensus.ts";
import {
  type IngestionToolParts,
  ingestionTools,
  quarantinePurchase,
  type Tool,
} from "../../../sdk/ingestion/tools.ts";
import { signedWire } from "./support/agents.ts";
import { noClaims, scriptedLayer } from "./support/layers.ts";
import { useStore } from "./support/store.ts";

describe("Ingestion tools", () => {
  const world = useStore();

  function consensus(): Consensus {
    const layers = [
      scriptedLayer("embedding", "pass"),
      scriptedLayer("consensus", ({ content }) => ({ vote: content.includes("false") ? "fail" : "pass" })),
    ];

    return new Consensus({ store: world.store, layers, claims: noClaims });
  }

  function tool(name: string): Tool {
    const parts = {
      store: world.store,
      quarantine: world.quarantine(),
      consensus: consensus(),
      channel: { provenance: "commons", batchId: "batch-1" } as const,
      emit: (event: (typeof world.events)[0]) => world.events.push(event),
    };
    const found = ingestionTools("grimoire", parts).find((each) => each.name === name);
    if (found === undefined) throw new Error(`no tool ${name}`);

    return found;
  }

  async function codeOf(running: Promise<unknown>): Promise<string> {
    return running.then(
      () => "none",
      (error: unknown) => (error instanceof IngestionError ? error.code : String(error)),
    );
  }

  it("report to a sink, and take events, of types that the package exports", () => {
    const seen: GolemEvent["type"][] = [];
    const emit: EventSink = ({ type }) => seen.push(type);
    const parts: [QuarantineParts["emit"], CladeParts["emit"], IngestionToolParts["emit"]] = [emit, emit, emit];
    const event: Parameters<typeof quarantinePurchase>[1] = {
      type: "GrimoireImmuneMatch",
      entryId: "1",
      immuneSignatureHash: "0x",
    } satisfies GolemEvent;
    for (const sink of parts) sink?.(event);

    expect(seen).to.deep.equal(["GrimoireImmuneMatch", "GrimoireImmuneMatch", "GrimoireImmuneMatch"]);
  });

  it("are handed out by profile", () => {
    const channel = { provenance: "archive" } as const;
    const parts = { store: world.store, quarantine: world.quarantine(), consensus: consensus(), channel };
    const names = (profile: string) => ingestionTools(profile, parts).map(({ name }) => name);

    for (const profile of ["grimoire", "marketplace", "full"]) {
      expect(names(profile)).to.deep.equal(["quarantine_entries", "consensus_validate", "reject_entry"]);
    }
    expect(names("trader")).to.deep.equal([]);
  });

  it("describe their arguments as JSON Schema", () => {
    expect(tool("quarantine_entries").parameters).to.deep.include({
      type: "object",
      required: ["entries"],
      additionalProperties: false,
    });
    expect(tool("reject_entry").parameters).to.deep.include({ required: ["entryId", "reason"] });
  });

  it("receive into quarantine and reject what is there", async () => {
    const { receipts } = (await tool("quarantine_entries").run({
      entries: [await signedWire({ content: "Rates follow utilisation." }), {}],
    })) as { receipts: { outcome: string; entryId: string }[] };
    const entryId = receipts[0]?.entryId ?? "";

    expect(receipts.map(({ outcome }) => outcome)).to.deep.equal(["quarantined", "malformed"]);
    expect(await tool("reject_entry").run({ entryId, reason: "It is wrong." })).to.deep.equal({
      entryId,
      stage: "rejected",
    });
    expect(world.store.entries.get(entryId)?.rejection).to.deep.equal({
      code: "RejectedByAgent",
      detail: "It is wrong.",
    });
    expect(world.events.at(-1)).to.deep.include({ type: "GrimoireValidationFailed", failedLayer: "agent" });
    expect(await codeOf(tool("reject_entry").run({ entryId, reason: "Again." }))).to.equal("STAGE_CONFLICT");
  });

  it("teach this golem what its agent rejected, for 30 days, and nobody else", async () => {
    const content = "Borrowing at the kink pays for itself within a block.";
    const receive = async (agentId: bigint) => {
      const [receipt] = await world
        .quarantine()
        .receive([await signedWire({ content, agentId })], { provenance: "clade" });

      return receipt?.outcome === "quarantined" ? receipt : undefined;
    };
    await tool("reject_entry").run({ entryId: (await receive(1n))?.entryId, reason: "It is wrong." });

    const { knownBad } = world.store;
    expect((await receive(2n))?.flags).to.have.members(["known_bad_content", "previously_rejected_pattern"]);
    expect([knownBad.newestHashes(9), knownBad.newestVectors(9)]).to.deep.equal([[], []]);

    world.clock.move(31 * 24 * 60 * 60 * 1_000);
    expect(knownBad.has(canonicalHash(content))).to.equal(false);
    const late = await signedWire({
      content,
      agentId: 3n,
      issuedAt: world.clock.now() / 1_000,
      expiresAt: world.clock.now() / 1_000 + 60,
    });
    const [receipt] = await world.quarantine().receive([late], { provenance: "clade" });
    expect(receipt?.outcome === "quarantined" && receipt.flags).to.deep.equal(["duplicate_content"]);
    await world.quarantine().prune();
    expect(world.store.database.all("SELECT 1 FROM known_bad UNION ALL SELECT 1 FROM immune_signatures")).to.deep.equal(
      [],
    );
  });

  it("validate what is named, a batch, or whatever waits, the unseen first", async () => {
    const { receipts } = (await tool("quarantine_entries").run({
      entries: [
        await signedWire({ content: "Rates follow utilisation." }),
        await signedWire({ content: "Rates are false friends." }),
        await signedWire({ content: "Pools have two sides." }),
      ],
    })) as { receipts: { entryId: string }[] };
    const [first, second, third] = receipts.map(({ entryId }) => entryId);
    type Answer = { verdicts: { entryId: string; stage: string; code?: string; votes: unknown[] }[] };
    const validate = async (args: object) => ((await tool("consensus_validate").run(args)) as Answer).verdicts;

    expect(await validate({ entryIds: [second, second] })).to.have.lengthOf(1);
    expect(world.store.entries.get(second ?? "")?.stage).to.equal("rejected");
    expect(await validate({ batchId: "another" })).to.deep.equal([]);

    const held = world.store.entries.get(first ?? "") as QuarantinedEntry;
    const result = { outcome: "held", strictness: "strict", votes: [], score: 0, reason: "as told" } as const;
    await world.store.entries.hold(held, result);
    expect((await validate({ limit: 1 })).map(({ entryId }) => entryId)).to.deep.equal([third]);
    const [last] = await validate({ batchId: "batch-1" });
    expect(last).to.deep.include({ entryId: first, stage: "validated" });
    expect(last?.votes).to.have.lengthOf(2);
    expect(JSON.stringify(last)).to.not.include("utilisation");

    expect(await codeOf(validate({ entryIds: [first] }))).to.equal("STAGE_CONFLICT");
    expect(await codeOf(validate({ strictness: "relaxed" }))).to.equal("ENTRY_MALFORMED");
  });

  it("refuse other arguments", async () => {
    for (const args of [undefined, {}, { entries: [] }]) {
      expect(await codeOf(tool("quarantine_entries").run(args))).to.equal("ENTRY_MALFORMED");
    }
    expect(await codeOf(tool("reject_entry").run({ entryId: "1", reason: "x" }))).to.equal("ENTRY_MALFORMED");
    const entryId = "00000000-0000-4000-8000-000000000000";
    expect(await codeOf(tool("reject_entry").run({ entryId, reason: "x" }))).to.equal("ENTRY_UNKNOWN");
  });

  it("let an agent say nothing of the channel, which the host has fixed", async () => {
    const entries = [await signedWire()];
    for (const said of [
      { provenance: "inheritance" },
      { provenance: "commons" },
      { generation: 1 },
      { onChainAnchor: `0x${"ab".repeat(32)}` },
      { batchId: "batch-2" },
    ]) {
      expect(await codeOf(tool("quarantine_entries").run({ ...said, entries }))).to.equal("ENTRY_MALFORMED");
    }
    expect(world.store.entries.counts().quarantined).to.equal(0);

    await tool("quarantine_entries").run({ entries });
    const [entry] = world.store.entries.list({ stage: "quarantined", limit: 1 });
    expect(entry?.source).to.deep.include({ provenance: "commons", batchId: "batch-1" });
    expect(entry?.source).to.not.have.any.keys("generation", "onChainAnchor");
  });

  it("are not handed out with a channel that is trusted more", () => {
    for (const channel of [{ provenance: "inheritance" }, { provenance: "commons", onChainAnchor: "0x12" }]) {
      const parts = {
        store: world.store,
        quarantine: world.quarantine(),
        consensus: consensus(),
        channel,
      } as IngestionToolParts;
      expect(() => ingestionTools("full", parts)).to.throw(IngestionError);
    }
  });

  it("quarantine what a purchase brought", async () => {
    const transactionHash = `0x${"ab".repeat(32)}` as const;
    const entries = [await signedWire()];
    const receipts = await quarantinePurchase(world.quarantine(), {
      type: "PurchaseCompleted",
      listingId: "listing-9",
      transactionHash,
      entries,
    });

    expect(receipts.map(({ outcome }) => outcome)).to.deep.equal(["quarantined"]);
    const [entry] = world.store.entries.list({ stage: "quarantined", batchId: "listing-9", limit: 1 });
    expect(entry?.source).to.deep.include({ provenance: "purchased", onChainAnchor: transactionHash });
  });
});
