import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { RelayConnection } from "../../../../sdk/ingestion/around/exchange/connection.ts";
import { type ExchangeParts, FilterExchange } from "../../../../sdk/ingestion/around/exchange/exchange.ts";
import { decodeFrame, encodeFrame } from "../../../../sdk/ingestion/around/exchange/frame.ts";
import { canonicalHash, type QuarantinedEntry } from "../../../../sdk/ingestion/entry.ts";
import { IngestionError } from "../../../../sdk/ingestion/errors.ts";
import { FILTER_BYTES } from "../../../../sdk/ingestion/store/immune/bloom.ts";
import { type KnowledgeStore, openKnowledgeStore } from "../../../../sdk/ingestion/store/open.ts";
import { agent, memoryRegistry, signedWire, standingClock } from "../support/agents.ts";
import { hashingEmbedder } from "../support/embedder.ts";
import { startRelay } from "../support/servers/relay.ts";
import { temporaryFolder, useStore } from "../support/store.ts";

const CLADE = new Uint8Array(32).fill(1);
const MEMBERS = new Set([1n, 2n, 3n, 4n]);
const BAD = "Borrowing at the kink always pays for itself within a block.";

async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition(); waited += 10) {
    if (waited > 10_000) throw new Error("it did not happen within ten seconds");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe("Exchange of filters", () => {
  const world = useStore();
  let peers: { store: KnowledgeStore; folder: ReturnType<typeof temporaryFolder> }[];

  beforeEach(() => {
    peers = [];
  });

  afterEach(() => {
    for (const { store, folder } of peers) {
      store.close();
      folder.remove();
    }
  });

  async function peerStore(): Promise<KnowledgeStore> {
    const folder = temporaryFolder();
    const store = await openKnowledgeStore({
      directory: folder.path,
      embedder: hashingEmbedder(),
      clock: standingClock(),
    });
    peers.push({ store, folder });

    return store;
  }

  function exchange(number: number, store: KnowledgeStore, changes: Partial<ExchangeParts> = {}): FilterExchange {
    return new FilterExchange({
      store,
      registry: memoryRegistry(),
      cladeKey: CLADE,
      members: MEMBERS,
      self: { agentId: BigInt(number), sign: (digest) => agent(number).key.sign({ hash: digest }) },
      sharedVectors: () => [],
      ...changes,
    });
  }

  async function vectorOf(text: string): Promise<Float32Array> {
    const [vector = new Float32Array()] = await hashingEmbedder().embed([text]);

    return vector;
  }

  /** A peer that has rejected `BAD`. */
  async function warnedPeer(number: number): Promise<FilterExchange> {
    const store = await peerStore();
    const vector = await vectorOf(BAD);
    store.database.transaction(() => store.knownBad.learn(canonicalHash(BAD), vector, 0));

    return exchange(number, store);
  }

  it("tells peers of known-bad content, exactly and by likeness, and keeps that over a restart", async () => {
    const mine = exchange(1, world.store);
    for (const frame of await (await warnedPeer(2)).frames()) expect(await mine.accept(frame)).to.equal("accepted");
    await world.reopen();

    const again = exchange(1, world.store);
    expect(again.isKnownBad(canonicalHash(BAD.toUpperCase()))).to.equal(true);
    expect(again.isKnownBad(canonicalHash("Another text."))).to.equal(false);
    expect(again.countSimilarBad(await vectorOf(BAD))).to.equal(1);
    expect(again.countSimilarBad(await vectorOf("Gas is cheap at night in Europe."))).to.equal(0);
  });

  it("holds an exact hit against an entry at once, and likeness from two peers on", async () => {
    const mine = exchange(1, world.store);
    const flagsOf = async (content: string, agentId: bigint) => {
      const quarantine = world.quarantine({ peers: mine });
      const [receipt] = await quarantine.receive([await signedWire({ content, agentId })], { provenance: "commons" });

      return receipt?.outcome === "quarantined" ? receipt.flags : receipt?.outcome;
    };
    const reworded = `${BAD} `.replace("always pays", "always, always pays");

    for (const frame of await (await warnedPeer(2)).frames()) await mine.accept(frame);
    expect(await flagsOf(BAD, 10n)).to.deep.equal(["known_bad_content"]);
    const similar = await vectorOf(reworded);
    const isNear = mine.countSimilarBad(similar) === 1;
    expect(await flagsOf(reworded, 11n)).to.deep.equal([]);

    for (const frame of await (await warnedPeer(3)).frames()) await mine.accept(frame);
    expect(await flagsOf(`${BAD}  !`, 12n)).to.deep.equal(["known_bad_content", "known_bad_similar"]);
    expect(mine.countSimilarBad(similar)).to.equal(isNear ? 2 : 0);
  });

  it("says whether a paid query is worth it, and keeps that apart from warnings", async () => {
    const topic = "Range orders on stable pools earn little.";
    const shared = await vectorOf(topic);
    const peer = exchange(2, await peerStore(), { sharedVectors: () => [shared] });
    const mine = exchange(1, world.store);
    expect(mine.shouldQueryCommons(shared)).to.equal(false);

    for (const frame of await peer.frames()) await mine.accept(frame);
    expect(mine.shouldQueryCommons(shared)).to.equal(true);
    expect(mine.shouldQueryCommons(await vectorOf("Oracle updates cost gas on every heartbeat."))).to.equal(false);
    expect(mine.countSimilarBad(shared)).to.equal(0);
    expect(mine.isKnownBad(canonicalHash(topic))).to.equal(false);
  });

  it("believes members only, what they signed, and what is newer", async () => {
    const mine = exchange(1, world.store);
    const peer = await warnedPeer(2);
    const [frame = new Uint8Array()] = await peer.frames();
    const { update, signature } = decodeFrame(frame);

    expect(await mine.accept((await (await warnedPeer(5)).frames())[0] ?? frame)).to.equal("stranger");
    expect(await mine.accept((await exchange(1, await peerStore()).frames())[0] ?? frame)).to.equal("stranger");
    expect(await mine.accept(encodeFrame({ ...update, agentId: 3n }, signature))).to.equal("forged");
    expect(await mine.accept(encodeFrame({ ...update, sequence: update.sequence + 1n }, signature))).to.equal("forged");
    expect(await mine.accept(encodeFrame({ ...update, kind: "commons" }, signature))).to.equal("forged");
    const slices = update.slices.map((slice) => slice.map((byte, index) => (index === 0 ? byte ^ 1 : byte)));
    expect(await mine.accept(encodeFrame({ ...update, slices }, signature))).to.equal("forged");
    const elsewhere = exchange(2, await peerStore(), { cladeKey: new Uint8Array(32).fill(2) });
    expect(await mine.accept((await elsewhere.frames())[0] ?? frame)).to.equal("forged");

    expect(await mine.accept(frame)).to.equal("accepted");
    expect(await mine.accept(frame)).to.equal("outdated");
    for (const newer of await peer.frames()) expect(await mine.accept(newer)).to.equal("accepted");
    expect(await mine.accept(frame)).to.equal("outdated");
  });

  it("refuses frames that no honest golem sends", async () => {
    const mine = exchange(1, world.store);
    const [frame = new Uint8Array()] = await (await warnedPeer(2)).frames();
    const { update, signature } = decodeFrame(frame);
    const with_ = (at: number, byte: number) => Uint8Array.from(frame, (old, index) => (index === at ? byte : old));
    const hostile = [
      new Uint8Array(0),
      randomBytes(5_000),
      frame.subarray(0, 100),
      new Uint8Array(100_000),
      with_(0, 0),
      with_(4, 9),
      with_(45, 4),
      with_(45, 200),
      encodeFrame({ ...update, slices: [new Uint8Array(FILTER_BYTES).fill(0xff)] }, signature),
      encodeFrame({ ...update, sequence: 2n ** 63n }, signature),
    ];

    for (const [index, bytes] of hostile.entries()) {
      const error = await mine.accept(bytes).catch((thrown: unknown) => thrown);
      expect(error, `frame ${index}`).to.be.instanceOf(IngestionError).with.property("code", "FRAME_INVALID");
    }
  });

  it("lets who has no key test no guess", async () => {
    const [frame = new Uint8Array()] = await (await warnedPeer(2)).frames();
    const { update } = decodeFrame(frame);
    // As if the outsider had got past the signature.
    world.store.database.run(
      "INSERT INTO peer_filters VALUES ('2', 'known_bad_content', 1, ?, 0)",
      Buffer.concat(update.slices),
    );

    expect(exchange(1, world.store, { cladeKey: CLADE }).isKnownBad(canonicalHash(BAD))).to.equal(true);
    const outsider = exchange(1, world.store, { cladeKey: new Uint8Array(32).fill(9) });
    expect(outsider.isKnownBad(canonicalHash(BAD))).to.equal(false);
  });

  it("goes over a relay, which sees filters only, and survives its loss", async () => {
    let relay = await startRelay();
    const failures: unknown[] = [];
    const peer = await warnedPeer(2);
    const mine = exchange(1, world.store);
    const connections = [peer, mine].map(
      (each) => new RelayConnection({ url: relay.url, exchange: each, onFailure: (error) => failures.push(error) }),
    );
    try {
      await until(() => mine.isKnownBad(canonicalHash(BAD)));
      expect(Buffer.concat(relay.relayed).includes("kink")).to.equal(false);

      relay.inject("text");
      relay.inject(Buffer.from("PCF1 rubbish"));
      await until(() => failures.some((error) => error instanceof IngestionError && error.code === "FRAME_INVALID"));

      const { port } = relay;
      await relay.close();
      relay = await startRelay(port);
      const peerStoreNow = peers[0]?.store;
      peerStoreNow?.database.transaction(() => peerStoreNow.knownBad.learn(canonicalHash("Newer."), undefined, 1));
      await until(() => mine.isKnownBad(canonicalHash("Newer.")));
    } finally {
      for (const connection of connections) connection.close();
      await relay.close();
    }
  });

  it("publishes what was rejected meanwhile", async () => {
    const relay = await startRelay();
    const mine = exchange(1, world.store);
    const other = exchange(2, await peerStore());
    const connections = [mine, other].map((each) => new RelayConnection({ url: relay.url, exchange: each }));
    try {
      await until(() => relay.relayed.length >= 6);
      const [receipt] = await world.quarantine().receive([await signedWire({ content: BAD })], { provenance: "clade" });
      const entry = world.store.entries.get(receipt?.outcome === "quarantined" ? receipt.entryId : "");
      await world.store.entries.reject(entry as QuarantinedEntry, {
        code: "OnChainFalse",
        detail: "The balance is another.",
      });
      expect(other.isKnownBad(canonicalHash(BAD))).to.equal(false);

      await connections[0]?.publish();
      await until(() => other.isKnownBad(canonicalHash(BAD)));
    } finally {
      for (const connection of connections) connection.close();
      await relay.close();
    }
  });

  it("refuses a clade's key of another length", () => {
    expect(() => exchange(1, world.store, { cladeKey: new Uint8Array(16) })).to.throw(RangeError, "16");
  });
});
