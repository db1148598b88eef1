import type { Database } from "./database.ts";
import { readVector, writeVector } from "./rows.ts";
import type { Collection, VectorChange, VectorIndex } from "./types.ts";

const CHANGES_AT_ONCE = 1_000;

/**
 * Carries vector changes from the state database, where they are written in the same transaction as the change of stage, to the vector
 * index. A change is taken off the list after the index has it, so a crash in between makes it twice, which is the same as once.
 */
export class VectorOutbox {
  readonly #database: Database;
  readonly #index: VectorIndex;
  #running: Promise<void> | undefined;
  #failure: unknown;

  constructor(database: Database, index: VectorIndex) {
    this.#database = database;
    this.#index = index;
  }

  /** Notes a change; to be called inside the transaction it belongs to. */
  add({ collection, id, vector }: VectorChange): void {
    this.#database.run(
      "INSERT INTO vector_changes (collection, id, vector) VALUES (?, ?, ?)",
      collection,
      id,
      vector === undefined ? null : writeVector(vector),
    );
  }

  get size(): number {
    return Number(this.#database.get("SELECT count(*) AS count FROM vector_changes")?.count);
  }

  /** The vector of an id that the index may not have yet. */
  waiting(id: string): Float32Array | undefined {
    const blob = this.#database.get(
      "SELECT vector FROM vector_changes WHERE id = ? AND vector IS NOT NULL ORDER BY seq DESC LIMIT 1",
      id,
    )?.vector;

    return blob instanceof Uint8Array ? readVector(blob) : undefined;
  }

  /** Why the index did not take the changes last time; undefined when it did. */
  get failure(): unknown {
    return this.#failure;
  }

  /**
   * `drain` after a committed change of stage: a failing index does not undo that, so it is kept in `failure` and tried again with the
   * next change. Meanwhile retrieval finds less, never what it must not.
   */
  async settle(): Promise<void> {
    try {
      await this.drain();
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error;
    }
  }

  /** Brings all that waits to the index. Throws what the index throws; what it did not take keeps waiting. */
  async drain(): Promise<void> {
    while (this.#running !== undefined) await this.#running.catch(() => {});
    this.#running = this.#drain();
    try {
      await this.#running;
    } finally {
      this.#running = undefined;
    }
  }

  async #drain(): Promise<void> {
    for (;;) {
      const rows = this.#database.all(
        "SELECT seq, collection, id, vector FROM vector_changes ORDER BY seq LIMIT ?",
        CHANGES_AT_ONCE,
      );
      const last = rows.at(-1);
      if (last === undefined) return;

      await this.#index.apply(
        rows.map((row) => ({
          collection: row.collection as Collection,
          id: String(row.id),
          ...(row.vector instanceof Uint8Array ? { vector: readVector(row.vector) } : {}),
        })),
      );

      this.#database.run("DELETE FROM vector_changes WHERE seq <= ?", last.seq ?? 0);
    }
  }
}
