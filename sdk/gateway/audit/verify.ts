import { setTimeout } from "node:timers/promises";
import { GatewayError } from "../errors.ts";
import { BEGINNING, chainOf, type Head, hashOf, headPath, readHead, readVerifyingKey } from "./chain.ts";
import type { AuditRow } from "./log.ts";
import { chainRows } from "./read.ts";
import type { AuditSink } from "./sinks/sink.ts";

export type AuditFault = {
  code: "ROW_CHANGED" | "ROW_MISSING" | "TAIL_CUT" | "TAIL_UNSIGNED" | "HEAD_UNREADABLE" | "ARCHIVE_UNREADABLE";
  /** The row at which it shows; null for the log as a whole. */
  seq: number | null;
};

export type AuditVerdict = { rows: number; faults: readonly AuditFault[] };

/** A gateway that is writing signs a moment later. */
const TRIES = 20;
const PAUSE_MS = 50;

/** Where a gateway's rows are looked at instead of its own log, and its head and key. */
export type VerifyOptions = { headFile?: string; keyFile?: string; sink?: Pick<AuditSink, "rows"> };

/**
 * Whether every row is there, as it was written and in its order, up to the head that the gateway signed: in its log and archive, or in what
 * it has sent to a sink, from the first row that is still kept there. @throws GatewayError, and what the sink rejects with
 */
export async function verifyAudit(
  folder: string,
  { headFile, keyFile, sink }: VerifyOptions = {},
): Promise<AuditVerdict> {
  const key = readVerifyingKey(folder, keyFile);
  let mustBeSigned: number | undefined;
  for (let tries = 1; ; tries += 1) {
    const head = readHead(headPath(folder, headFile), key);
    const sent = sink && (await rowsIn(sink, chainOf(key)));
    // Where the log is signed to begin; a sink gives old rows up by a rule of its own.
    const beginning = sent?.[0] ?? head?.first ?? { seq: 1, previous: BEGINNING };
    const { count, last, signed, faults } = walk(sent ?? chainRows(folder), beginning, head);
    const end = last?.seq ?? 0;
    // Rows that came while it looked are the next look's.
    mustBeSigned ??= end;
    if (head === undefined) faults.push({ code: "HEAD_UNREADABLE", seq: null });
    else if (head.count > end) faults.push({ code: "TAIL_CUT", seq: head.count });
    else if (head.hash !== signed) faults.push({ code: "ROW_CHANGED", seq: head.count });
    else if (head.count < mustBeSigned) faults.push({ code: "TAIL_UNSIGNED", seq: head.count + 1 });
    if (faults.length === 0 || tries === TRIES) return { rows: count, faults };
    if (!faults.every(({ code }) => code === "TAIL_UNSIGNED" || code === "TAIL_CUT")) return { rows: count, faults };
    await setTimeout(PAUSE_MS);
  }
}

/** What a sink has of one chain, by number: it answers in the order of times. */
async function rowsIn(sink: Pick<AuditSink, "rows">, chain: string): Promise<AuditRow[]> {
  return (await sink.rows({})).filter((row) => row.chain === chain).sort((a, b) => a.seq - b.seq);
}

/** Goes through rows from where they begin. */
function walk(rows: Iterable<AuditRow>, beginning: { seq: number; previous: string }, head: Head | undefined) {
  const faults: AuditFault[] = [];
  let { seq: expected, previous } = beginning;
  const begins = expected;
  let count = 0;
  let last: AuditRow | undefined;
  /** The hash of the row with which the head says that the log ends. */
  let signed = head?.count === begins - 1 ? previous : undefined;
  try {
    for (const row of rows) {
      // Signed to be gone; a process that died may have left it.
      if (row.seq < begins) continue;
      if (row.seq !== expected) faults.push({ code: "ROW_MISSING", seq: expected });
      else if (row.previous !== previous || row.hash !== hashOf(row.seq, row.record, row.previous)) {
        faults.push({ code: "ROW_CHANGED", seq: row.seq });
      }
      previous = row.hash;
      expected = row.seq + 1;
      count += 1;
      last = row;
      if (row.seq === head?.count) signed = row.hash;
    }
  } catch (error) {
    if (!(error instanceof GatewayError && error.code === "STORE_DAMAGED")) throw error;
    faults.push({ code: "ARCHIVE_UNREADABLE", seq: expected });
  }

  return { count, last, signed, faults };
}
