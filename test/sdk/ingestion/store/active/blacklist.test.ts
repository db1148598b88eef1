import { expect } from "chai";
import { DAY_MS } from "../../../../../sdk/core/units.ts";
import { creditsOf, independentsIn, type Voice } from "../../../../../sdk/ingestion/confidence.ts";
import type { Channel, QuarantinedEntry } from "../../../../../sdk/ingestion/entry.ts";
import { agent, draft, signedWire } from "../../support/agents.ts";
import { useStore } from "../../support/store.ts";

const CHANNEL: Channel = { provenance: "purchased", listingId: "pack" };
const PASSED = { outcome: "passed", strictness: "standard", votes: [], score: 1, reason: "as told" } as const;

describe("A source of which most has failed", () => {
  const world = useStore();

  async function outcomesOf(agentId: bigint, count: number): Promise<string[]> {
    const entries = await Promise.all(Array.from({ length: count }, () => signedWire({ agentId })));
    const receipts = await world.quarantine().receive(entries, CHANNEL);

    return receipts.map((receipt) => (receipt.outcome === "rejected" ? receipt.rejection.code : receipt.outcome));
  }

  async function fail(agentId: bigint, count: number): Promise<void> {
    await outcomesOf(agentId, count);
    for (const entry of world.store.entries.list({ stage: "quarantined", limit: 1_000 })) {
      const rejection = { code: "ConsensusDivergence", detail: "As told." } as const;
      await world.store.entries.reject(entry as QuarantinedEntry, rejection);
    }
  }

  it("is taken nothing from any more, until that is long ago; others are", async () => {
    await fail(2n, 19);
    expect(await outcomesOf(2n, 1)).to.deep.equal(["quarantined"]);
    await fail(2n, 1);

    expect(await outcomesOf(2n, 2)).to.deep.equal(["SourceBlacklisted", "SourceBlacklisted"]);
    expect(await outcomesOf(3n, 1)).to.deep.equal(["quarantined"]);
    const told = world.events.filter((event) => "reason" in event && event.reason === "SourceBlacklisted");
    expect(told).to.have.length(2);

    world.clock.move(200 * DAY_MS);
    const late = { issuedAt: world.clock.now() / 1_000 - 60, expiresAt: world.clock.now() / 1_000 + 3_600 };
    const [receipt] = await world.quarantine().receive([await signedWire({ agentId: 2n, ...late })], CHANNEL);
    expect(receipt?.outcome).to.equal("quarantined");
  });

  it("is refused when its author is confirmed at last", async () => {
    await fail(2n, 20);
    world.registry.isReachable = false;
    expect(await outcomesOf(2n, 1)).to.deep.equal(["quarantined"]);
    world.registry.isReachable = true;
    expect(await world.quarantine().retry()).to.equal(1);

    expect(world.store.entries.list({ stage: "rejected", limit: 100 }).at(-1)?.rejection?.code).to.equal(
      "SourceBlacklisted",
    );
  });

  it("is answered with no more, though it was adopted before", async () => {
    await outcomesOf(2n, 1);
    const [first] = world.store.entries.list({ stage: "quarantined", limit: 1 });
    if (first === undefined) throw new Error("nothing came in");
    const adopted = await world.store.entries.adopt(
      await world.store.entries.validate(first as QuarantinedEntry, PASSED),
      0.1,
    );
    const found = async () => (await world.store.grimoire.retrieve(adopted.content, 5)).map(({ entryId }) => entryId);

    expect(await found()).to.deep.equal([adopted.id]);
    await fail(2n, 20);
    expect(await found()).to.deep.equal([]);
    expect(world.store.entries.get(adopted.id)?.stage).to.equal("adopted");
  });
});

describe("Voices of an open way", () => {
  it("share it, whatever origins they name", () => {
    const voice = (agentId: bigint, channel: Channel): Voice => ({
      canonicalHash: `0x${agentId}`,
      source: { ...channel, ...draft({ agentId }).signed, controller: { wallet: agent(Number(agentId)).key.address } },
    });
    for (const provenance of ["commons", "archive", "cross_user"] as const) {
      const piece = voice(1n, { provenance, batchId: "one" });
      const others = [2n, 3n, 4n].map((agentId) => voice(agentId, { provenance, batchId: `batch ${agentId}` }));
      expect(creditsOf(piece, others), provenance).to.deep.equal([0.5, 0.25, 0.125]);
      expect(independentsIn(creditsOf(piece, others))).to.equal(0);
    }
    const bought = [2n, 3n].map((agentId) => voice(agentId, { provenance: "purchased", listingId: `${agentId}` }));
    expect(creditsOf(voice(1n, { provenance: "purchased", listingId: "1" }), bought)).to.deep.equal([1, 1]);
  });
});
