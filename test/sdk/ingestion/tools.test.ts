import { expect } from "chai";
import { IngestionError } from "../../../sdk/ingestion/errors.ts";
import {
  type IngestionToolParts,
  ingestionTools,
  quarantinePurchase,
  type Tool,
} from "../../../sdk/ingestion/tools.ts";
import { signedWire } from "./support/agents.ts";
import { useStore } from "./support/store.ts";

describe("Ingestion tools", () => {
  const world = useStore();

  function tool(name: string): Tool {
    const parts = {
      store: world.store,
      quarantine: world.quarantine(),
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

  it("are handed out by profile", () => {
    const channel = { provenance: "archive" } as const;
    const parts = { store: world.store, quarantine: world.quarantine(), channel };
    const names = (profile: string) => ingestionTools(profile, parts).map(({ name }) => name);

    for (const profile of ["grimoire", "marketplace", "full"]) {
      expect(names(profile)).to.deep.equal(["quarantine_entries", "reject_entry"]);
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
      code: "RejectedByOwner",
      detail: "It is wrong.",
    });
    expect(world.events.at(-1)).to.deep.include({ type: "GrimoireValidationFailed", failedLayer: "owner" });
    expect(await codeOf(tool("reject_entry").run({ entryId, reason: "Again." }))).to.equal("StageConflict");
  });

  it("refuse other arguments", async () => {
    for (const args of [undefined, {}, { entries: [] }]) {
      expect(await codeOf(tool("quarantine_entries").run(args))).to.equal("EntryMalformed");
    }
    expect(await codeOf(tool("reject_entry").run({ entryId: "1", reason: "x" }))).to.equal("EntryMalformed");
    const entryId = "00000000-0000-4000-8000-000000000000";
    expect(await codeOf(tool("reject_entry").run({ entryId, reason: "x" }))).to.equal("EntryUnknown");
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
      expect(await codeOf(tool("quarantine_entries").run({ ...said, entries }))).to.equal("EntryMalformed");
    }
    expect(world.store.entries.counts().quarantined).to.equal(0);

    await tool("quarantine_entries").run({ entries });
    const [entry] = world.store.entries.list({ stage: "quarantined", limit: 1 });
    expect(entry?.source).to.deep.include({ provenance: "commons", batchId: "batch-1" });
    expect(entry?.source).to.not.have.any.keys("generation", "onChainAnchor");
  });

  it("are not handed out with a channel that is trusted more", () => {
    for (const channel of [{ provenance: "inheritance" }, { provenance: "commons", onChainAnchor: "0x12" }]) {
      const parts = { store: world.store, quarantine: world.quarantine(), channel } as IngestionToolParts;
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
