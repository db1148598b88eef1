import type { Hex } from "viem";
import { hexToBytes } from "viem";
import { type EntrySource, partyOf } from "../../entry.ts";
import type { Clock } from "../../ports.ts";
import type { Database } from "../database.ts";
import { readSigned, readVector, writeVector } from "../rows.ts";
import { sizeFilter } from "./bloom.ts";
import { FilterChain } from "./filters.ts";

/** Content that was rejected for its place among other vectors. `party`: see `partyOf`. */
export type Anomaly = { party: string; vector: Float32Array };

/**
 * Content this golem has rejected, by the digest of its canonical text. Look-ups go through Bloom filters first, which never deny a
 * digest that is in, and are then confirmed in the table.
 */
export class KnownBad {
  readonly #database: Database;
  readonly #clock: Clock;
  #filters = new FilterChain(sizeFilter());
  #lastSeq = 0;
  #isCurrent = false;
  #forgotten = 0;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /**
   * Remembers rejected content; to be called inside the transaction that rejects it. `vector` lets peers find rewordings. What has an
   * `expiresAt` (milliseconds since 1970) is forgotten then, and is told to no peer.
   */
  learn(canonicalHash: Hex, vector: Float32Array | undefined, at: number, expiresAt?: number): void {
    this.#database.run(
      `INSERT INTO known_bad (canonical_hash, vector, at, is_local, expires_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (canonical_hash) DO UPDATE SET is_local = min(is_local, excluded.is_local),
         vector = coalesce(vector, excluded.vector),
         expires_at = iif(expires_at IS NULL OR excluded.expires_at IS NULL, NULL, max(expires_at, excluded.expires_at))`,
      canonicalHash,
      vector === undefined ? null : writeVector(vector),
      at,
      expiresAt === undefined ? 0 : 1,
      expiresAt ?? null,
    );
    this.#isCurrent = false;
  }

  /** Content that is bad no longer, to be called inside a transaction; false where it was not known to be. Peers hear no more of it. */
  forget(canonicalHash: Hex): boolean {
    return this.#delete("canonical_hash = ?", canonicalHash) > 0;
  }

  /** What has expired by `time`, milliseconds since 1970. */
  forgetExpired(time: number): void {
    this.#delete("expires_at <= ?", time);
  }

  /** Where content lay that is known to be bad. */
  vectorOf(canonicalHash: Hex): Float32Array | undefined {
    const vector = this.#database.get("SELECT vector FROM known_bad WHERE canonical_hash = ?", canonicalHash)?.vector;

    return vector instanceof Uint8Array ? readVector(vector) : undefined;
  }

  /** Exact: no false negative for identical canonical text, and no false positive. */
  has(canonicalHash: Hex): boolean {
    if (this.#current()?.hasAny([hexToBytes(canonicalHash)]) === false) return false;

    return (
      this.#database.get(
        "SELECT 1 FROM known_bad WHERE canonical_hash = ? AND (expires_at IS NULL OR expires_at > ?)",
        canonicalHash,
        this.#clock.now(),
      ) !== undefined
    );
  }

  /** Digests of the newest `limit` pieces of content that peers may hear of, oldest first. */
  newestHashes(limit: number): Hex[] {
    const rows = this.#database.all(
      "SELECT canonical_hash FROM known_bad WHERE is_local = 0 ORDER BY seq DESC LIMIT ?",
      limit,
    );

    return rows.map((row) => row.canonical_hash as Hex).reverse();
  }

  /** Vectors of the newest `limit` pieces of content that have one and that peers may hear of, oldest first. */
  newestVectors(limit: number): Float32Array[] {
    const rows = this.#database.all(
      "SELECT vector FROM known_bad WHERE vector IS NOT NULL AND is_local = 0 ORDER BY seq DESC LIMIT ?",
      limit,
    );

    return rows.flatMap(({ vector }) => (vector instanceof Uint8Array ? [readVector(vector)] : [])).reverse();
  }

  /** The newest `limit` pieces of content that were rejected for their place among other vectors; `version` changes with them. */
  newestAnomalies(limit: number): { version: string; read: () => Anomaly[] } {
    const newest = this.#database.get("SELECT coalesce(max(seq), 0) AS seq FROM known_bad")?.seq;
    const version = `${newest}/${this.#forgotten}`;

    return {
      version,
      read: () =>
        this.#database
          .all(
            `SELECT bad.vector, entries.source FROM entries JOIN known_bad AS bad USING (canonical_hash)
             WHERE entries.stage = 'rejected' AND entries.rejection ->> 'code' = 'EmbeddingAnomaly' AND bad.vector IS NOT NULL
             ORDER BY bad.seq DESC LIMIT ?`,
            limit,
          )
          .flatMap(({ vector, source }) => {
            const party = partyOf(readSigned<EntrySource>(String(source)));

            return vector instanceof Uint8Array ? [{ party, vector: readVector(vector) }] : [];
          }),
    };
  }

  /** A number that is free again is given to what comes next: filters that were filled before do not know it. */
  #delete(where: string, value: string | number): number {
    const count = this.#database.run(`DELETE FROM known_bad WHERE ${where}`, value);
    if (count === 0) return 0;
    this.#filters = new FilterChain(sizeFilter());
    this.#lastSeq = 0;
    this.#isCurrent = false;
    this.#forgotten += 1;

    return count;
  }

  /** Undefined where filters cannot tell: what a transaction has not committed must not be taken for loaded. */
  #current(): FilterChain | undefined {
    if (this.#isCurrent) return this.#filters;
    if (this.#database.isInTransaction) return undefined;
    const rows = this.#database.all(
      "SELECT seq, canonical_hash FROM known_bad WHERE seq > ? ORDER BY seq",
      this.#lastSeq,
    );
    for (const row of rows) {
      this.#filters.add([hexToBytes(row.canonical_hash as Hex)]);
      this.#lastSeq = Number(row.seq);
    }
    this.#isCurrent = true;

    return this.#filters;
  }
}
