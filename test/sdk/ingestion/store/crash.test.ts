import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { SQLInputValue } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import type { Stage, Submission } from "../../../../sdk/ingestion/entry.ts";
import { Database } from "../../../../sdk/ingestion/store/database.ts";
import { prepareState } from "../../../../sdk/ingestion/store/file/schema.ts";
import { assembleStore, type KnowledgeStore, openKnowledgeStore } from "../../../../sdk/ingestion/store/open.ts";
import type { VectorChange } from "../../../../sdk/ingestion/store/types.ts";
import { near } from "../../../support/near.ts";
import { CHAIN_ID, draft, signed, standingClock } from "../support/agents.ts";
import { expectConsistent } from "../support/consistency.ts";
import { hashingEmbedder } from "../support/embedder.ts";
import { temporaryFolder } from "../support/store.ts";
import { MemoryVectorIndex } from "../support/vectors/memory-index.ts";
import { finish, goalOf, rejectShared, work } from "../support/workload.ts";

const KILL_ROUNDS = process.env.HARDHAT_TEST_PROFILE === "deep" ? 200 : 6;
const WORKER = fileURLToPath(new URL("../support/worker.ts", import.meta.url));

class Crash extends Error {}

/** Counts every write to either database, and dies at one of them: just before it, or just after. */
class Fuse {
  writes = 0;
  #isBlown = false;
  readonly #at: number;
  readonly #isAfter: boolean;

  constructor(at: number, isAfter: boolean) {
    this.#at = at;
    this.#isAfter = isAfter;
  }

  pass<T>(write: () => T): T {
    if (this.#isBlown) throw new Crash();
    this.writes += 1;
    const isHere = this.writes === this.#at;
    if (isHere && !this.#isAfter) this.#blow();
    const result = write();
    if (isHere) this.#blow();

    return result;
  }

  #blow(): never {
    this.#isBlown = true;
    throw new Crash();
  }
}

class DyingDatabase extends Database {
  readonly #fuse: Fuse;

  constructor(path: string, fuse: Fuse) {
    super(path);
    this.#fuse = fuse;
  }

  override run(sql: string, ...parameters: SQLInputValue[]): number {
    return this.#fuse.pass(() => super.run(sql, ...parameters));
  }

  override script(sql: string): void {
    // Only the process dies here, not the machine: waiting for the disk would prove nothing more.
    this.#fuse.pass(() => super.script(sql.replace("synchronous = FULL", "synchronous = OFF")));
  }
}

/** Takes a change at a time, so that a crash can leave half of them made. */
function dyingIndex(index: MemoryVectorIndex, fuse: Fuse): MemoryVectorIndex {
  const dying = Object.create(index) as MemoryVectorIndex;
  dying.apply = async (changes: readonly VectorChange[]) => {
    for (const change of changes) await fuse.pass(() => index.apply([change]));
  };
  dying.ids = (collection) => index.ids(collection);
  dying.read = (collection, ids) => index.read(collection, ids);

  return dying;
}

const ORDER: Record<Stage, number> = {
  quarantined: 0,
  validated: 1,
  trialled: 2,
  adopted: 3,
  rejected: 4,
  rolled_back: 5,
};

describe("A crash", () => {
  let submissions: Submission[];

  before(async () => {
    submissions = await Promise.all(
      ["a fee", "b fee", "c fee", "d fee", "e fee", "f fee"].map((content) =>
        signed(draft({ content, entryType: "heuristic" })),
      ),
    );
    submissions.push(draft({ content: "unsigned" }));
  });

  async function start(path: string, index: MemoryVectorIndex, fuse: Fuse): Promise<KnowledgeStore> {
    const database = new DyingDatabase(path, fuse);
    try {
      prepareState(database);
      return await assembleStore({
        database,
        index: dyingIndex(index, fuse),
        embedder: hashingEmbedder(),
        clock: standingClock(),
      });
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** Runs until the fuse blows, then starts again on what is left and checks it. Returns how many writes there were. */
  async function crashAt(write: number, isAfter: boolean): Promise<number> {
    const folder = temporaryFolder();
    const path = join(folder.path, "state.sqlite");
    const index = new MemoryVectorIndex();
    const fuse = new Fuse(write, isAfter);
    const acknowledged = new Map<string, Stage>();
    let dead: KnowledgeStore | undefined;
    try {
      dead = await start(path, index, fuse);
      await work(dead, submissions, (id, stage) => acknowledged.set(id, stage));
      await rejectShared(dead);
    } catch (error) {
      if (!causedByCrash(error)) throw error;
    } finally {
      dead?.close();
    }

    const store = await start(path, index, new Fuse(Number.POSITIVE_INFINITY, false));
    try {
      await expectConsistent(store, index);
      for (const [id, stage] of acknowledged) {
        const entry = store.entries.get(id);
        expect(entry, `${id}, which was ${stage}`).to.not.equal(undefined);
        expect(entry && ORDER[entry.stage], `${id}, which was ${stage}`).to.be.at.least(ORDER[stage]);
      }

      // What had not arrived is sent again, as its sender would; what had is a replay and changes nothing.
      await work(store, submissions, () => {});
      await finish(store, () => {});
      const kept = store.database.all("SELECT id FROM entries WHERE provenance_state = 'verified'");
      expect(kept).to.have.length(6);
      for (const { id } of kept) {
        const entry = store.entries.get(String(id));
        expect(entry?.stage).to.equal(entry && goalOf(entry));
      }
      await expectConsistent(store, index);

      const ledger = await rejectShared(store);
      expect(ledger.trustOf("north", { agentId: 1n, chainId: CHAIN_ID }), "trust, paid once").to.satisfy(
        near(0.45, 1e-9),
      );
      const shared = store.database.get("SELECT confidence FROM knowledge WHERE content = 'f fee'");
      expect(shared?.confidence).to.equal(0.01);
    } finally {
      store.close();
      folder.remove();
    }

    return fuse.writes;
  }

  function causedByCrash(error: unknown): boolean {
    return error instanceof Crash || (error instanceof Error && error.cause instanceof Crash);
  }

  for (const isAfter of [false, true]) {
    it(`just ${isAfter ? "after" : "before"} any write leaves every entry in one stage, loses none, and work goes on`, async () => {
      const writes = await crashAt(Number.POSITIVE_INFINITY, isAfter);
      expect(writes).to.be.greaterThan(100);
      for (let write = 1; write <= writes; write += 1) await crashAt(write, isAfter);
    });
  }

  it("by kill -9 at any moment leaves what was acknowledged, round after round in one store", async function () {
    this.timeout(KILL_ROUNDS * 20_000);
    const folder = temporaryFolder();
    const acknowledged = new Map<string, Stage>();
    try {
      for (let round = 0; round < KILL_ROUNDS; round += 1) {
        await killWhileWorking(folder.path, round, acknowledged);

        const options = { directory: folder.path, embedder: hashingEmbedder(), clock: standingClock() };
        const store = await openKnowledgeStore(options);
        try {
          await expectConsistent(store, store.index);
          for (const [id, stage] of acknowledged) {
            const entry = store.entries.get(id);
            expect(entry && ORDER[entry.stage], `${id}, which was ${stage}`).to.be.at.least(ORDER[stage]);
          }
        } finally {
          store.close();
        }
      }
      expect(acknowledged.size, "acknowledged entries of all rounds").to.be.greaterThan(KILL_ROUNDS);
    } finally {
      folder.remove();
    }
  });

  /** Lets a process of its own work on the store and kills it some time after its first acknowledgement. */
  async function killWhileWorking(directory: string, round: number, acknowledged: Map<string, Stage>): Promise<void> {
    const worker = spawn(process.execPath, [WORKER, directory, String(round)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let rest = "";
    worker.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const [id = "", stage] of lines.map((line) => line.split(" "))) acknowledged.set(id, stage as Stage);
    });
    await once(worker.stdout, "data");
    await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 250));
    await kill(worker);
  }

  async function kill(worker: ChildProcess): Promise<void> {
    const isClosed = once(worker, "close");
    worker.kill("SIGKILL");
    const [exitCode, signal] = await isClosed;
    expect({ exitCode, signal }).to.deep.equal({ exitCode: null, signal: "SIGKILL" });
  }
});
