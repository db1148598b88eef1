import { expect } from "chai";
import { BUS_NAMES, createEventBus, writeEvent } from "../../../../sdk/core/bus.ts";
import type { GolemEvent } from "../../../../sdk/core/events.ts";
import {
  eventCounter,
  observeMetrics,
  prometheusText,
  storeMetrics,
} from "../../../../sdk/ingestion/around/metrics.ts";
import { IngestionError } from "../../../../sdk/ingestion/errors.ts";
import { createPortTiming } from "../../../../sdk/ingestion/judge/timing.ts";
import type { RegistryReader } from "../../../../sdk/ingestion/ports.ts";
import { overviewOf } from "../../../../sdk/ingestion/store/overview.ts";
import { quarantinePurchases } from "../../../../sdk/ingestion/tools.ts";
import { signedWire } from "../support/agents.ts";
import { useStore } from "../support/store.ts";

const PURCHASE = {
  type: "PurchaseCompleted",
  listingId: "listing-9",
  transactionHash: `0x${"ab".repeat(32)}`,
} as const;

describe("What a golem reports", () => {
  const world = useStore();

  it("is JSON under the names of the bus, with no content and no big number lost", async () => {
    const bus = createEventBus();
    const lines: string[] = [];
    bus.on((event) => lines.push(writeEvent(event)));
    await world
      .quarantine({ emit: bus.emit })
      .receive([await signedWire({ content: "Fees rise.", agentId: 7n })], { provenance: "clade" });
    bus.emit({ type: "GrimoireCausalRollback", sourceAgent: 2n ** 200n, entriesQuarantined: 3, reason: "as told" });
    bus.emit({ ...PURCHASE, entries: [await signedWire({ content: "Fees rise." })] });

    const [quarantined, rolledBack, bought] = lines.map((line) => JSON.parse(line));
    expect(quarantined).to.deep.include({ event: "grimoire:entry_quarantined", entry_type: "insight" });
    expect(quarantined.source).to.deep.include({ agent_id: "7", provenance: "clade" });
    expect(rolledBack).to.deep.equal({
      event: "grimoire:causal_rollback",
      source_agent: String(2n ** 200n),
      entries_quarantined: 3,
      reason: "as told",
    });
    expect(bought).to.deep.include({ event: "marketplace:purchase_completed", entries: 1 });
    expect(lines.join()).to.not.contain("Fees rise");
    expect(new Set(Object.values(BUS_NAMES)).size).to.equal(Object.keys(BUS_NAMES).length);
  });

  it("reaches every listener, whatever another throws, until it has heard enough", () => {
    const failures: unknown[] = [];
    const bus = createEventBus((error) => failures.push(error));
    const heard: string[] = [];
    const listener = ({ type }: GolemEvent) => heard.push(type);
    bus.on(() => {
      throw new RangeError("a bad listener");
    });
    const off = bus.on(listener);
    bus.on(listener);
    bus.emit({ ...PURCHASE, entries: [] });
    off();
    bus.emit({ ...PURCHASE, entries: [] });

    expect(heard).to.have.lengthOf(3);
    expect(failures).to.have.lengthOf(2);
  });

  it("brings a purchase into quarantine by itself, and tells what cannot be taken in", async () => {
    const bus = createEventBus();
    const failed: unknown[] = [];
    const quarantine = world.quarantine();
    let received = Promise.resolve<unknown>(undefined);
    const receive: typeof quarantine.receive = (...args) => {
      const running = quarantine.receive(...args);
      received = running.catch(() => {});

      return running;
    };
    const off = quarantinePurchases(bus, { receive }, (error) => failed.push(error));
    bus.emit({ ...PURCHASE, entries: [await signedWire({ content: "Bought." })] });
    await received;
    const [entry] = world.store.entries.list({ stage: "quarantined", batchId: "listing-9", limit: 9 });
    expect(entry?.source).to.deep.include({ provenance: "purchased", onChainAnchor: PURCHASE.transactionHash });

    bus.emit({ ...PURCHASE, entries: Array(1_001).fill({}) });
    await received;
    await new Promise(setImmediate);
    expect(failed[0]).to.have.property("code", "BATCH_TOO_LARGE");
    off();
    bus.emit({ ...PURCHASE, entries: [await signedWire({ content: "Not heard of." })] });
    await received;
    expect(world.store.entries.counts().quarantined).to.equal(1);
  });

  it("counts what others took to answer, how they did, and what a reasoner cost", async () => {
    let now = 0;
    const timing = createPortTiming(() => now);
    const answers = (milliseconds: number, failure?: Error) => async () => {
      now += milliseconds;
      if (failure !== undefined) throw failure;

      return [];
    };
    const asked = async (milliseconds: number, failure?: Error) =>
      timing
        .reasoner({ id: "one", understands: true, judge: answers(milliseconds, failure) })
        .judge([], [])
        .catch(() => []);
    await asked(20);
    await asked(100);
    await asked(700_000);
    await asked(5, new IngestionError("REASONER_REFUSED", "No."));
    await asked(5, new TypeError("a bug"));
    const registry = timing.registry({ ...world.registry, isReachable: false } as RegistryReader);
    await registry.walletOf(1n).catch(() => {});
    await timing.registry(world.registry).walletOf(1n);
    await timing.screen({ screen: async () => ({ outcome: "flagged", reason: "as told" }) }).screen("Text.");
    timing.used({ promptTokens: 1_200, completionTokens: 34 });
    timing.used({ promptTokens: 1, completionTokens: 0 });

    const text = prometheusText(timing.metrics());
    expect(text).to.contain("# TYPE policycage_ingestion_port_seconds histogram\n");
    expect(
      text.split("\n").filter((line) => line.includes('outcome="answered"') && line.includes("reasoner")),
    ).to.deep.equal([
      ...["0.005 0", "0.025 1", "0.1 2", "0.5 2", "1 2", "5 2", "15 2", "60 2", "+Inf 3"].map((bucket) => {
        const [le, count] = bucket.split(" ");

        return `policycage_ingestion_port_seconds_bucket{port="reasoner",outcome="answered",le="${le}"} ${count}`;
      }),
      'policycage_ingestion_port_seconds_sum{port="reasoner",outcome="answered"} 700.12',
      'policycage_ingestion_port_seconds_count{port="reasoner",outcome="answered"} 3',
    ]);
    for (const [port, outcome] of [
      ["reasoner", "REASONER_REFUSED"],
      ["reasoner", "failed"],
      ["registry", "failed"],
      ["registry", "answered"],
      ["screen", "flagged"],
    ]) {
      expect(text).to.contain(`policycage_ingestion_port_seconds_count{port="${port}",outcome="${outcome}"} 1\n`);
    }
    expect(text).to.contain('policycage_ingestion_reasoner_tokens_total{kind="prompt"} 1201\n');

    const observed = new Map<string, number>();
    const counter = (name: string) => ({
      addCallback: (callback: (result: { observe(value: number, labels?: Record<string, string>): void }) => void) =>
        callback({ observe: (value, labels = {}) => observed.set([name, ...Object.values(labels)].join(" "), value) }),
    });
    observeMetrics(
      { createObservableGauge: () => expect.fail("no gauge"), createObservableCounter: counter },
      timing.metrics,
    );
    expect(observed.get("policycage_ingestion_port_seconds_bucket reasoner answered 0.1")).to.equal(2);
    expect(observed.get("policycage_ingestion_port_seconds_count reasoner answered")).to.equal(3);
    expect(observed.get("policycage_ingestion_reasoner_tokens_total completion")).to.equal(34);
  });

  it("is there as numbers for Prometheus and OpenTelemetry", async () => {
    const counter = eventCounter();
    await world
      .quarantine({ emit: counter.sink })
      .receive([await signedWire(), await signedWire()], { provenance: "clade" });
    const read = () => [...storeMetrics(overviewOf(world.store.database)), ...counter.metrics()];
    const text = prometheusText(read());

    expect(text).to.contain("# TYPE policycage_ingestion_entries gauge\n");
    expect(text).to.contain('policycage_ingestion_entries{stage="quarantined"} 2\n');
    expect(text).to.contain('policycage_ingestion_waiting{for="validation"} 2\n');
    expect(text).to.contain("policycage_ingestion_room 998\n");
    expect(text).to.contain('policycage_events_total{type="GrimoireEntryQuarantined"} 2\n');
    // The exposition format, line by line.
    for (const line of text.trimEnd().split("\n")) {
      expect(line).to.match(/^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z]+="[^"\n]*"(,[a-z]+="[^"\n]*")*\})? \d+)$/);
    }

    const observed = new Map<string, number>();
    const instrument = (name: string) => ({
      addCallback: (callback: (result: { observe(value: number, labels?: Record<string, string>): void }) => void) =>
        callback({ observe: (value, labels = {}) => observed.set([name, ...Object.values(labels)].join(" "), value) }),
    });
    observeMetrics({ createObservableGauge: instrument, createObservableCounter: instrument }, read);
    expect(observed.get("policycage_ingestion_entries quarantined")).to.equal(2);
    expect(observed.get("policycage_events_total GrimoireEntryQuarantined")).to.equal(2);
  });
});
