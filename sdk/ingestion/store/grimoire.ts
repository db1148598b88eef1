import { randomUUID } from "node:crypto";
import { embedAll } from "../embedding.ts";
import { type EntryType, PARTITIONS, type Partition } from "../entry.ts";
import { IngestionError } from "../errors.ts";
import type { Clock, Embedder } from "../ports.ts";
import type { Database } from "./database.ts";
import type { VectorOutbox } from "./outbox.ts";
import { readKnowledge } from "./rows.ts";
import type { Collection, GrimoireReader, Knowledge, Neighbour, VectorIndex } from "./types.ts";

export function collectionOf(partition: Partition): Collection {
  return `grimoire_${partition}`;
}

/** The golem's own piece of knowledge: it goes through no quarantine. `confidence`: 0 to 1. */
export type OwnKnowledge = { content: string; entryType: EntryType; confidence: number };

/** The active Grimoire: what the golem learned itself, and what it adopted. */
export class Grimoire implements GrimoireReader {
  readonly #database: Database;
  readonly #index: VectorIndex;
  readonly #outbox: VectorOutbox;
  readonly #embedder: Embedder;
  readonly #clock: Clock;

  constructor(parts: {
    database: Database;
    index: VectorIndex;
    outbox: VectorOutbox;
    embedder: Embedder;
    clock: Clock;
  }) {
    this.#database = parts.database;
    this.#index = parts.index;
    this.#outbox = parts.outbox;
    this.#embedder = parts.embedder;
    this.#clock = parts.clock;
  }

  count(): number {
    return Number(this.#database.get("SELECT count(*) AS count FROM knowledge")?.count);
  }

  async nearest(
    vector: Float32Array,
    { limit, partitions = PARTITIONS }: { limit: number; partitions?: readonly Partition[] },
  ): Promise<Neighbour[]> {
    const found = await this.#index.nearest(partitions.map(collectionOf), vector, limit);

    // The state database has the last word: the index may lag behind it.
    return found.flatMap(({ id, similarity }) => {
      const knowledge = this.#get(id);

      return knowledge !== undefined && partitions.includes(knowledge.partition) ? [{ ...knowledge, similarity }] : [];
    });
  }

  async sample({
    limit,
    seed,
  }: {
    limit: number;
    seed: number;
  }): Promise<{ knowledge: Knowledge; vector: Float32Array }[]> {
    // A multiplicative hash of the row number: cheap, spread, and the same for the same seed.
    const rows = this.#database
      .all("SELECT * FROM knowledge ORDER BY ((seq + ?1) * 2654435761) % 4294967296, seq LIMIT ?2", seed, limit)
      .map(readKnowledge);
    const vectors = new Map<string, Float32Array>();
    for (const partition of PARTITIONS) {
      const ids = rows.filter((row) => row.partition === partition).map(({ id }) => id);
      for (const { id, vector } of await this.#index.read(collectionOf(partition), ids)) vectors.set(id, vector);
    }

    return rows.flatMap((knowledge) => {
      const vector = vectors.get(knowledge.id);

      return vector === undefined ? [] : [{ knowledge, vector }];
    });
  }

  /** Takes in what the golem learned itself. Throws `ENTRY_MALFORMED` for a confidence outside 0 to 1. */
  async remember(pieces: readonly OwnKnowledge[]): Promise<Knowledge[]> {
    for (const { confidence } of pieces) {
      if (!(confidence >= 0 && confidence <= 1)) {
        throw new IngestionError("ENTRY_MALFORMED", `A confidence lies between 0 and 1: ${confidence} does not.`);
      }
    }
    const vectors = await embedAll(
      this.#embedder,
      pieces.map(({ content }) => content),
    );
    const remembered = this.#database.transaction(() =>
      pieces.map(({ content, entryType, confidence }, index) => {
        const id = randomUUID();
        this.#database.run(
          `INSERT INTO knowledge (id, partition, content, entry_type, confidence, adopted_at)
           VALUES (?, 'self', ?, ?, ?, ?)`,
          id,
          content,
          entryType,
          confidence,
          this.#clock.now(),
        );
        const vector = vectors[index];
        if (vector !== undefined) this.#outbox.add({ collection: "grimoire_self", id, vector });
        const knowledge: Knowledge = {
          id,
          partition: "self",
          content,
          entryType,
          confidence,
          adoptedAt: this.#clock.now(),
        };

        return knowledge;
      }),
    );

    await this.#outbox.settle();

    return remembered;
  }

  #get(id: string): Knowledge | undefined {
    const row = this.#database.get("SELECT * FROM knowledge WHERE id = ?", id);

    return row === undefined ? undefined : readKnowledge(row);
  }
}
