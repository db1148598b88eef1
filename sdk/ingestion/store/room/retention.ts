import type { Database } from "../database.ts";
import type { VectorOutbox } from "../outbox.ts";

const AUDIT_DAYS = 7;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** Refusals at the door cost their sender nothing, so they may not fill the disk. */
const REFUSALS_KEPT = 10_000;

/**
 * Forgets the content of entries that were decided more than seven days ago; hash, signature and verdict stay for good. Of refusals at the
 * door the newest 10 000 stay. Returns how many were pruned.
 */
export function prune({ database, outbox }: { database: Database; outbox: VectorOutbox }, now: number): number {
  return database.transaction(() => {
    const decidedBefore = now - AUDIT_DAYS * DAY_MS;
    const rolledBack = database.all(
      "SELECT id FROM entries WHERE pruned_at IS NULL AND stage = 'rolled_back' AND changed_at < ?",
      decidedBefore,
    );
    for (const { id } of rolledBack) outbox.add({ collection: "quarantine_entries", id: String(id) });

    const pruned = database.run(
      `UPDATE entries SET content = '', pruned_at = ? WHERE pruned_at IS NULL
         AND stage IN ('adopted', 'rejected', 'rolled_back') AND changed_at < ?`,
      now,
      decidedBefore,
    );
    forgetRefusals(database);
    for (const table of ["known_bad", "immune_signatures"])
      database.run(`DELETE FROM ${table} WHERE expires_at <= ?`, now);

    return pruned;
  });
}

/** Keeps the newest refusals; to be called inside a transaction. */
export function forgetRefusals(database: Database): void {
  database.run(
    `DELETE FROM entries WHERE provenance_state = 'refused' AND seq <=
       (SELECT seq FROM entries WHERE provenance_state = 'refused' ORDER BY seq DESC LIMIT 1 OFFSET ${REFUSALS_KEPT})`,
  );
}
