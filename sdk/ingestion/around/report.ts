import { type Author, FAILURE_CATEGORIES, type FailureCategory, meaningOf, type RejectionCode } from "../entry.ts";
import { type Experience, outcomeOf, type Reputation, reputationOf } from "../store/active/reputation.ts";
import type { Database } from "../store/database.ts";

/** What became of what one source sent: what a buyer's review is written from. */
export type IngestionReport = {
  author: Author;
  received: number;
  /** Neither passed nor failed yet. */
  pending: number;
  /** Validated, or further. */
  passed: number;
  failed: number;
  failures: Record<FailureCategory, number>;
  /** Rejected for what is no failure of the source: come twice, no room, not needed. */
  other: number;
  /** Ever, and of them those that were taken back for the harm they did. */
  adopted: number;
  rolledBack: number;
  /** Of what was decided, 0 to 1; undefined where nothing was. */
  acceptRate?: number;
  /** Of what was adopted. */
  rollbackRate?: number;
  /** What decisions brought that it influenced, in basis points: shared equally among all that influenced each. */
  netPnlBps: number;
  /** Entries that looked like an attack, or were taken back. */
  poisoningIncidents: number;
  reputation: Reputation;
  /** What became of its entries and why, the most frequent first. */
  outcomes: { stage: string; code?: RejectionCode; count: number; entryIds: string[] }[];
};

const IDS_SHOWN = 5;

/** Authors of entries that they are known to have signed, those with the best reputation first. `now`: milliseconds since 1970. */
export function ingestionReports(
  database: Database,
  { now, author, batchId }: { now: number; author?: Author; batchId?: string },
): IngestionReport[] {
  const authors = database
    .all(
      `SELECT DISTINCT chain_id, agent_id FROM entries WHERE provenance_state <> 'refused' AND (?1 IS NULL OR (chain_id = ?1 AND agent_id = ?2))
         AND (?3 IS NULL OR batch_id = ?3)`,
      author?.chainId ?? null,
      author?.agentId.toString() ?? null,
      batchId ?? null,
    )
    .map((row) => ({ chainId: Number(row.chain_id), agentId: BigInt(String(row.agent_id)) }));

  return authors
    .map((each) => reportOn(database, each, { now, batchId }))
    .toSorted((a, b) => b.reputation.lower - a.reputation.lower);
}

function reportOn(
  database: Database,
  author: Author,
  { now, batchId }: { now: number; batchId: string | undefined },
): IngestionReport {
  const rows = database
    .all(
      `SELECT entries.id, stage, changed_at, rejection ->> 'code' AS code, validation ->> 'outcome' AS outcome,
         knowledge.independents, knowledge.uses,
         EXISTS (SELECT 1 FROM transitions WHERE entry_id = entries.id AND to_stage = 'adopted') AS was_adopted
       FROM entries LEFT JOIN knowledge ON knowledge.entry_id = entries.id
       WHERE entries.chain_id = ? AND entries.agent_id = ? AND provenance_state <> 'refused' AND (? IS NULL OR batch_id = ?)
       ORDER BY entries.seq`,
      author.chainId,
      author.agentId.toString(),
      batchId ?? null,
      batchId ?? null,
    )
    .map((row) => ({
      id: String(row.id),
      stage: String(row.stage),
      at: Number(row.changed_at),
      code: row.code === null ? undefined : (row.code as RejectionCode),
      isPassed: row.outcome === "passed",
      wasAdopted: row.was_adopted === 1,
      isConfirmed: Number(row.independents ?? 0) > 0 || Number(row.uses ?? 0) > 0,
    }));
  type Fate = (typeof rows)[number];
  const isTakenBack = ({ stage }: Fate) => stage === "rolled_back";
  const isFailed = ({ stage, code }: Fate) => outcomeOf(stage, code, false) === "failed";
  const isPassed = (fate: Fate) => fate.isPassed && !isFailed(fate);
  const failures = Object.fromEntries(FAILURE_CATEGORIES.map((name) => [name, 0])) as Record<FailureCategory, number>;
  for (const { code } of rows.filter(isFailed)) {
    const category = code === undefined ? undefined : meaningOf(code).category;
    if (category !== undefined) failures[category] += 1;
  }
  const count = (is: (fate: Fate) => boolean) => rows.filter(is).length;
  const [passed, failed, adopted, rolledBack] = [
    isPassed,
    isFailed,
    ({ wasAdopted }: Fate) => wasAdopted,
    isTakenBack,
  ].map(count) as [number, number, number, number];
  const experiences = rows.flatMap((fate): Experience[] => {
    const outcome = outcomeOf(fate.stage, fate.code, fate.isConfirmed);

    return outcome === undefined ? [] : [{ outcome, at: fate.at }];
  });

  return {
    author,
    received: rows.length,
    pending: count(({ stage }) => stage === "quarantined"),
    passed,
    failed,
    failures,
    other: count((fate) => fate.stage === "rejected" && !isFailed(fate)),
    adopted,
    rolledBack,
    ...(passed + failed > 0 && { acceptRate: passed / (passed + failed) }),
    ...(adopted > 0 && { rollbackRate: rolledBack / adopted }),
    netPnlBps: netPnl(
      database,
      rows.map(({ id }) => id),
    ),
    poisoningIncidents: count((fate) => isTakenBack(fate) || (isFailed(fate) && isAttack(fate.code))),
    reputation: reputationOf(experiences, now),
    outcomes: outcomesOf(rows),
  };
}

function isAttack(code: RejectionCode | undefined): boolean {
  return code !== undefined && meaningOf(code).attackType !== undefined;
}

/** Equal shares of each decision for all entries that influenced it. */
function netPnl(database: Database, ids: readonly string[]): number {
  return Number(
    database.get(
      `SELECT coalesce(sum(result_bps / (SELECT count(*) FROM decision_tags AS others WHERE others.decision_id = decisions.id)), 0) AS sum
       FROM decision_tags JOIN decisions ON decisions.id = decision_tags.decision_id
       WHERE result_bps IS NOT NULL AND decision_tags.entry_id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(ids),
    )?.sum,
  );
}

function outcomesOf(rows: readonly { id: string; stage: string; code: RejectionCode | undefined }[]) {
  const groups = new Map<string, IngestionReport["outcomes"][number]>();
  for (const { id, stage, code } of rows) {
    const key = `${stage} ${code ?? ""}`;
    const group = groups.get(key) ?? { stage, ...(code !== undefined && { code }), count: 0, entryIds: [] };
    group.count += 1;
    if (group.entryIds.length < IDS_SHOWN) group.entryIds.push(id);
    groups.set(key, group);
  }

  return [...groups.values()].toSorted((a, b) => b.count - a.count);
}
