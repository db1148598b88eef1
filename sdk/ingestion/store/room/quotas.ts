import type { Author, ProvenanceState, QuarantinedEntry, Rejection } from "../../entry.ts";
import type { Database } from "../database.ts";
import type { SqliteEntryStore } from "../entries.ts";
import { readEntry } from "../rows.ts";

/** Entries under way at once, and how many of them one author may have. */
export const QUARANTINE_CAPACITY = 1_000;
export const SOURCE_CAPACITY = QUARANTINE_CAPACITY / 10;

type State = Exclude<ProvenanceState, "refused">;

const UNDER_WAY = "stage IN ('quarantined', 'validated', 'trialled')";

/**
 * Makes room for one more entry of an author by rejecting old ones as `Evicted`; to be called inside a transaction. A flood only costs its
 * own author: over the author's share its own oldest entry goes, and a full store gives up the oldest of its largest author. An author
 * that is not confirmed can push out only others that are not. Returns why there is no room to be made, if so.
 */
export function makeRoom(
  { database, entries }: { database: Database; entries: SqliteEntryStore },
  author: Author,
  state: State,
): Rejection | undefined {
  if (countUnderWay(database, author, state) >= SOURCE_CAPACITY) {
    return evict(entries, oldest(database, author, state), overShare(author));
  }
  if (roomOfAll(database) > 0) return undefined;

  const victim =
    oldestOfLargest(database, "unconfirmed") ??
    (state === "verified" ? oldestOfLargest(database, "verified") : undefined);
  return evict(entries, victim, `Quarantine has ${QUARANTINE_CAPACITY} entries under way, which is all it takes.`);
}

/**
 * Holds an author to its share when one more of its entries has been confirmed; to be called inside that transaction. While the registry
 * cannot be reached, an author's unconfirmed entries are counted apart, so both together may be more than its share.
 */
export function holdToShare(
  { database, entries }: { database: Database; entries: SqliteEntryStore },
  author: Author,
): void {
  if (countUnderWay(database, author, "verified") <= SOURCE_CAPACITY) return;
  evict(entries, oldest(database, author, "verified"), overShare(author));
}

/** Entries this author can still send before older ones go, those that wait for their confirmation counted with the rest. */
export function roomOf(database: Database, author: Author): number {
  return SOURCE_CAPACITY - countUnderWay(database, author, "verified") - countUnderWay(database, author, "unconfirmed");
}

/** Entries all authors together can still send before older ones go. */
export function roomOfAll(database: Database): number {
  const row = database.get(`SELECT count(*) AS count FROM entries WHERE ${UNDER_WAY}`);

  return QUARANTINE_CAPACITY - Number(row?.count);
}

function countUnderWay(database: Database, { chainId, agentId }: Author, state: State): number {
  const row = database.get(
    `SELECT count(*) AS count FROM entries
     WHERE ${UNDER_WAY} AND provenance_state = ? AND chain_id = ? AND agent_id = ?`,
    state,
    chainId,
    agentId.toString(),
  );

  return Number(row?.count);
}

/** The oldest entry of the author with the most entries that still wait; of two with as many, of the one whose entries are older. */
function oldestOfLargest(database: Database, state: State): QuarantinedEntry | undefined {
  const row = database.get(
    `SELECT chain_id, agent_id FROM entries WHERE stage = 'quarantined' AND provenance_state = ?
     GROUP BY chain_id, agent_id ORDER BY count(*) DESC, min(seq) LIMIT 1`,
    state,
  );
  if (row === undefined) return undefined;

  return oldest(database, { chainId: Number(row.chain_id), agentId: BigInt(String(row.agent_id)) }, state);
}

function oldest(database: Database, { chainId, agentId }: Author, state: State): QuarantinedEntry | undefined {
  const row = database.get(
    `SELECT * FROM entries WHERE stage = 'quarantined' AND provenance_state = ? AND chain_id = ? AND agent_id = ?
     ORDER BY seq LIMIT 1`,
    state,
    chainId,
    agentId.toString(),
  );

  return row === undefined ? undefined : (readEntry(row) as QuarantinedEntry);
}

function overShare({ agentId, chainId }: Author): string {
  return `Agent ${agentId} of chain ${chainId} has ${SOURCE_CAPACITY} entries under way, which is all one author may have.`;
}

/** Rejects `victim`; without one, the newcomer is what has to go. */
function evict(entries: SqliteEntryStore, victim: QuarantinedEntry | undefined, detail: string): Rejection | undefined {
  const rejection: Rejection = { code: "Evicted", detail };
  if (victim === undefined) return rejection;
  entries.rejectNow(victim, rejection);

  return undefined;
}
