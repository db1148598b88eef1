import type { QuarantinedEntry, Rejection } from "../entry.ts";
import type { Database } from "../store/database.ts";
import type { SqliteEntryStore } from "../store/entries.ts";
import { readEntry } from "../store/rows.ts";

/** Entries under way at once, and how many of them one author may have. */
export const QUARANTINE_CAPACITY = 1_000;
export const SOURCE_CAPACITY = QUARANTINE_CAPACITY / 10;

const UNDER_WAY = "stage IN ('quarantined', 'validated', 'trialled')";

/**
 * Makes room for one more entry of an author by rejecting old ones as `Evicted`; to be called inside a transaction. A flood only costs its
 * own author: over the author's share its own oldest entry goes, and a full store gives up the oldest of its largest author. An author
 * that is not confirmed can push out only others that are not. Returns why there is no room to be made, if so.
 */
export function makeRoom(
  { database, entries }: { database: Database; entries: SqliteEntryStore },
  { agentId, isVerified }: { agentId: bigint; isVerified: boolean },
): Rejection | undefined {
  const state = isVerified ? "verified" : "unconfirmed";
  if (countUnderWay(database, { agentId, state }) >= SOURCE_CAPACITY) {
    return evict(
      entries,
      oldest(database, agentId.toString(), state),
      `Agent ${agentId} has ${SOURCE_CAPACITY} entries under way, which is all one author may have.`,
    );
  }
  if (countUnderWay(database) < QUARANTINE_CAPACITY) return undefined;

  const victim =
    largestSource(database, "unconfirmed") ?? (isVerified ? largestSource(database, "verified") : undefined);
  return evict(
    entries,
    victim && oldest(database, victim.agentId, victim.state),
    `Quarantine has ${QUARANTINE_CAPACITY} entries under way, which is all it takes.`,
  );
}

/** Entries this author can still send, confirmed or not, before its older ones go. */
export function roomOf(database: Database, agentId: bigint): number {
  const counts = (["verified", "unconfirmed"] as const).map((state) => countUnderWay(database, { agentId, state }));

  return SOURCE_CAPACITY - Math.max(...counts);
}

/** Entries all authors together can still send before older ones go. */
export function roomOfAll(database: Database): number {
  return QUARANTINE_CAPACITY - countUnderWay(database);
}

function countUnderWay(database: Database, source?: { agentId: bigint; state: string }): number {
  const row =
    source === undefined
      ? database.get(`SELECT count(*) AS count FROM entries WHERE ${UNDER_WAY}`)
      : database.get(
          `SELECT count(*) AS count FROM entries WHERE ${UNDER_WAY} AND provenance_state = ? AND agent_id = ?`,
          source.state,
          source.agentId.toString(),
        );

  return Number(row?.count);
}

/** The author with the most entries that still wait; of two with as many, the one whose entries are older. */
function largestSource(database: Database, state: "verified" | "unconfirmed") {
  const row = database.get(
    `SELECT agent_id FROM entries WHERE stage = 'quarantined' AND provenance_state = ?
     GROUP BY agent_id ORDER BY count(*) DESC, min(seq) LIMIT 1`,
    state,
  );

  return row === undefined ? undefined : { agentId: String(row.agent_id), state };
}

function oldest(database: Database, agentId: string, state: string): QuarantinedEntry | undefined {
  const row = database.get(
    `SELECT * FROM entries WHERE stage = 'quarantined' AND provenance_state = ? AND agent_id = ? ORDER BY seq LIMIT 1`,
    state,
    agentId,
  );

  return row === undefined ? undefined : (readEntry(row) as QuarantinedEntry);
}

/** Rejects `victim`; without one, the newcomer is what has to go. */
function evict(entries: SqliteEntryStore, victim: QuarantinedEntry | undefined, detail: string): Rejection | undefined {
  const rejection: Rejection = { code: "Evicted", detail };
  if (victim === undefined) return rejection;
  entries.rejectNow(victim, rejection);

  return undefined;
}
