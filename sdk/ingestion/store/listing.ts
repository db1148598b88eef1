import type { Entry, Stage } from "../entry.ts";
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
