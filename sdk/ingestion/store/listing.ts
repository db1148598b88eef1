import type { Hex } from "viem";
import type { Entry, Rejection, Stage } from "../entry.ts";
import { IngestionError } from "../errors.ts";
import type { Database } from "./database.ts";
import { readEntries, readEntry } from "./rows.ts";
import type { EntryQuery } from "./types.ts";

/** One change of stage. `at`: milliseconds since 1970. */
export type Step = { from?: Stage; to: Stage; at: number; reason?: string };

/** The entry of this id; undefined where there is none. Throws `ENTRY_DAMAGED`. */
export function findEntry(database: Database, id: string): Entry | undefined {
  const row = database.get("SELECT * FROM entries WHERE id = ?", id);

  return row === undefined ? undefined : readEntry(row);
}

/** Entries of a query, oldest first. Ids of those that are damaged go to `damaged`. */
export function findEntries(
  database: Database,
  { stage, provenanceState, author, batchId, limit }: EntryQuery,
  damaged: (id: string) => void,
): Entry[] {
  const rows = database.all(
    `SELECT * FROM entries WHERE stage = ?1 AND (?2 IS NULL OR provenance_state = ?2)
       AND (?3 IS NULL OR (chain_id = ?3 AND agent_id = ?4)) AND (?5 IS NULL OR batch_id = ?5) ORDER BY seq LIMIT ?6`,
    stage,
    provenanceState ?? null,
    author?.chainId ?? null,
    author?.agentId.toString() ?? null,
    batchId ?? null,
    limit,
  );

  return readEntries(rows, damaged);
}

/** Content that is remembered as bad. Times in milliseconds since 1970; without `expiresAt` it is for good, and peers are told. */
export type BadContent = {
  canonicalHash: Hex;
  at: number;
  expiresAt?: number;
  entryId?: string;
  code?: Rejection["code"];
};

/** What this golem remembers as bad, newest first, and the entry whose rejection taught it last. */
export function findBadContent(database: Database, limit: number): BadContent[] {
  const rows = database.all(
    `SELECT bad.canonical_hash, bad.at, bad.expires_at, entries.id, entries.rejection ->> 'code' AS code
     FROM known_bad AS bad LEFT JOIN entries ON entries.seq = (SELECT max(seq) FROM entries
       WHERE canonical_hash = bad.canonical_hash AND stage = 'rejected')
     ORDER BY bad.seq DESC LIMIT ?`,
    limit,
  );

  return rows.map(({ canonical_hash: canonicalHash, at, expires_at: expiresAt, id, code }) => ({
    canonicalHash: canonicalHash as Hex,
    at: Number(at),
    ...(expiresAt !== null && { expiresAt: Number(expiresAt) }),
    ...(id !== null && { entryId: String(id), code: code as Rejection["code"] }),
  }));
}

/** Where an entry has been. Throws `ENTRY_UNKNOWN`. */
export function historyOf(database: Database, id: string): { entry: Entry; steps: Step[] } {
  const entry = findEntry(database, id);
  if (entry === undefined) throw new IngestionError("ENTRY_UNKNOWN", `There is no entry ${id}.`);
  const steps = database.all("SELECT * FROM transitions WHERE entry_id = ? ORDER BY seq", id).map((row) => ({
    ...(row.from_stage === null ? {} : { from: row.from_stage as Stage }),
    to: row.to_stage as Stage,
    at: Number(row.at),
    ...(row.reason === null ? {} : { reason: String(row.reason) }),
  }));

  return { entry, steps };
}
