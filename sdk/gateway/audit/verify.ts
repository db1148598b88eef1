import { setTimeout } from "node:timers/promises";
import { GatewayError } from "../errors.ts";
import { BEGINNING, type Head, hashOf, headPath, readHead, readVerifyingKey } from "./chain.ts";
import type { AuditRow } from "./log.ts";
import { chainRows } from "./read.ts";

export type AuditFault = {
  code: "ROW_CHANGED" | "ROW_MISSING" | "TAIL_CUT" | "TAIL_UNSIGNED" | "HEAD_UNREADABLE" | "ARCHIVE_UNREADABLE";
  /** The row at which it shows; null for the log as a whole. */
  seq: number | null;
};

export type AuditVerdict = { rows: number; faults: readonly AuditFault[] };

/** A gateway that is writing signs a moment later. */
const TRIES = 20;
const PAUSE_MS = 50;

/** Whether every row is there, as it was written and in its order, up to the head that the gateway signed. @throws GatewayError */
export async function verifyAudit(
  folder: string,
  { headFile, keyFile }: { headFile?: string; keyFile?: string } = {},
): Promise<AuditVerdict> {
  const key = readVerifyingKey(folder, keyFile);
  for (let tries = 1; ; tries += 1) {
    const head = readHead(headPath(folder, headFile), key);
    const { count, last, faults } = walk(folder, head);
    const hash = last?.hash ?? head?.first?.previous ?? BEGINNING;
    if (head === undefined) faults.push({ code: "HEAD_UNREADABLE", seq: null });
    else if (head.count > (last?.seq ?? 0)) faults.push({ code: "TAIL_CUT", seq: head.count });
    else if (head.count < (last?.seq ?? 0)) faults.push({ code: "TAIL_UNSIGNED", seq: head.count + 1 });
    else if (head.hash !== hash) faults.push({ code: "ROW_CHANGED", seq: head.count });
    if (faults.length === 0 || tries === TRIES) return { rows: count, faults };
    if (!faults.every(({ code }) => code === "TAIL_UNSIGNED" || code === "TAIL_CUT")) return { rows: count, faults };
    await setTimeout(PAUSE_MS);
  }
}

/** Goes through the archive and the log, from where the log is signed to begin. */
function walk(folder: string, head: Head | undefined) {
  const faults: AuditFault[] = [];
  let { seq: expected, previous } = head?.first ?? { seq: 1, previous: BEGINNING };
  const begins = expected;
  let count = 0;
  let last: AuditRow | undefined;
  try {
    for (const row of chainRows(folder)) {
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
    }
  } catch (error) {
    if (!(error instanceof GatewayError && error.code === "STORE_DAMAGED")) throw error;
    faults.push({ code: "ARCHIVE_UNREADABLE", seq: expected });
  }

  return { count, last, faults };
}
