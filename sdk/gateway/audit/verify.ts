import { setTimeout } from "node:timers/promises";
import { DAY_MS } from "../../core/units.ts";
import { GatewayError } from "../errors.ts";
import { BEGINNING, chainOf, type Head, hashOf, headPath, readHead, readVerifyingKey } from "./chain.ts";
import type { AuditRow } from "./log.ts";
import { chainRows, rowAt, rowsAfter, sentTo } from "./read.ts";
import type { AuditSink } from "./sinks/sink.ts";

export type AuditFault = {
  code: "ROW_CHANGED" | "ROW_MISSING" | "TAIL_CUT" | "TAIL_UNSIGNED" | "HEAD_UNREADABLE" | "ARCHIVE_UNREADABLE";
  /** The row at which it shows; null for the log as a whole. */
  seq: number | null;
};

export type AuditVerdict = {
  rows: number;
  faults: readonly AuditFault[];
  /** Of a sink: how many of the rows wait in the gateway's log to be sent there. */
  waiting?: number;
};

/** A gateway that is writing signs a moment later. */
const TRIES = 20;
const PAUSE_MS = 50;
/** Longer than a request takes and than a sink is read: what is younger by so much than a sink keeps rows is there until it was read. */
const EDGE_MS = DAY_MS;

type SentRows = Pick<AuditSink, "name" | "chainRows" | "keptMs">;
/** What a gateway has sent is looked at instead of its own log, and its head and key elsewhere than in its folder. */
export type VerifyOptions = { headFile?: string; keyFile?: string; sink?: SentRows };

/**
 * Whether every row is there, as it was written and in its order, up to the head that the gateway signed: in its log and archive, or in what
 * it has sent to a sink, from the first row that is still kept there, with what waits in its log. All rows are read once.
 * @throws GatewayError, and what the sink rejects with
 */
export async function verifyAudit(
  folder: string,
  { headFile, keyFile, sink }: VerifyOptions = {},
): Promise<AuditVerdict> {
  const key = readVerifyingKey(folder, keyFile);
  const headNow = () => readHead(headPath(folder, headFile), key);
  const head = headNow();
  const walk = new Walk(head);
  const waiting = sink && (await passSent(walk, folder, { sink, chain: chainOf(key) }));
  if (sink === undefined) {
    walk.begin(head?.first ?? { seq: 1, previous: BEGINNING });
    await walk.pass(chainRows(folder));
  }
  const verdict = (fault?: AuditFault): AuditVerdict => ({
    rows: walk.count,
    faults: fault === undefined ? walk.faults : [...walk.faults, fault],
    ...(sink && { waiting: waiting ?? 0 }),
  });
  const hasLog = sink === undefined || waiting !== undefined;
  const mustBeSigned = walk.end;
  for (let tries = 1; ; tries += 1) {
    const now = headNow();
    // What was written since the rows were read, and is signed by now.
    if (hasLog && now !== undefined && now.count > walk.end) await walk.pass(rowsAfter(folder, walk.end));
    const fault = walk.faultAt(now, mustBeSigned);
    if (fault?.code !== "TAIL_UNSIGNED" || walk.faults.length > 0 || tries === TRIES) return verdict(fault);
    await setTimeout(PAUSE_MS);
  }
}

/**
 * Goes through what a sink has of a chain, and then through what waits in the gateway's log.
 * @returns how many rows wait; undefined where the folder has no log, or has sent more than the sink has
 */
async function passSent(
  walk: Walk,
  folder: string,
  { sink, chain }: { sink: SentRows; chain: string },
): Promise<number | undefined> {
  // Before the sink is read: so much it has by then.
  const sent = sentTo(folder, sink.name);
  const youngFrom = sink.keptMs === undefined ? undefined : Date.now() - sink.keptMs + EDGE_MS;
  await walk.pass(sink.chainRows(chain), youngFrom);
  if (sent === undefined) return undefined;
  // What a sink does not give up by itself was there before its first row.
  const before = youngFrom !== undefined && walk.count > 0 ? rowAt(folder, walk.begins - 1) : undefined;
  if (before !== undefined && timeOf(before) >= (youngFrom ?? 0)) {
    walk.faults.push({ code: "ROW_MISSING", seq: before.seq });
  }
  if (walk.end < sent) {
    const last = rowAt(folder, sent);
    const isGivenUp = youngFrom !== undefined && (last === undefined || timeOf(last) < youngFrom);
    if (!isGivenUp) return undefined;
    // All that was sent is older than what the sink keeps.
    if (last !== undefined) walk.begin({ seq: last.seq + 1, previous: last.hash });
  }
  const found = walk.count;
  await walk.pass(rowsAfter(folder, Math.max(sent, walk.end)));

  return walk.count - found;
}

function timeOf({ record }: AuditRow): number {
  return Number(JSON.parse(record).timestamp);
}

/** Goes through rows once, as they come. */
class Walk {
  readonly #from: Head | undefined;
  /** Of rows with which a head may say that the log ends. */
  readonly #hashes = new Map<number, string>();
  #next: { seq: number; previous: string } | undefined;
  /** The number of the first row. */
  begins = 0;
  readonly faults: AuditFault[] = [];
  count = 0;

  /** @param from a head: none that is read later is of fewer rows */
  constructor(from: Head | undefined) {
    this.#from = from;
  }

  /** Where the first row is to go on from. */
  begin(next: { seq: number; previous: string }): void {
    this.#next = next;
    this.begins = next.seq;
    this.#hashes.set(next.seq - 1, next.previous);
  }

  /** The number of the last row. */
  get end(): number {
    return (this.#next?.seq ?? 1) - 1;
  }

  /** @param youngFrom rows before the first that is so young are passed over. Milliseconds since 1970 */
  async pass(rows: AsyncIterable<AuditRow> | Iterable<AuditRow>, youngFrom?: number): Promise<void> {
    let isYoung = youngFrom === undefined;
    try {
      for await (const row of rows) {
        isYoung ||= timeOf(row) >= (youngFrom ?? 0);
        if (isYoung) this.#see(row);
      }
    } catch (error) {
      if (!(error instanceof GatewayError && error.code === "STORE_DAMAGED")) throw error;
      this.faults.push({ code: "ARCHIVE_UNREADABLE", seq: this.end + 1 });
    }
  }

  #see(row: AuditRow): void {
    if (this.#next === undefined) this.begin(row);
    const { seq = row.seq, previous = row.previous } = this.#next ?? {};
    // Signed to be gone; a process that died may have left it.
    if (row.seq < this.begins) return;
    if (row.seq !== seq) this.faults.push({ code: "ROW_MISSING", seq });
    else if (row.previous !== previous || row.hash !== hashOf(row.seq, row.record, row.previous)) {
      this.faults.push({ code: "ROW_CHANGED", seq });
    }
    this.#next = { seq: row.seq + 1, previous: row.hash };
    this.count += 1;
    if (row.seq >= (this.#from?.count ?? Number.POSITIVE_INFINITY)) this.#hashes.set(row.seq, row.hash);
  }

  /** What a head says against the rows. @param mustBeSigned rows that came while it looked are the next look's */
  faultAt(now: Head | undefined, mustBeSigned: number): AuditFault | undefined {
    if (now === undefined || this.#from === undefined) return { code: "HEAD_UNREADABLE", seq: null };
    const { count, hash } = now.count > this.end ? this.#from : now;
    if (count > this.end) return { code: "TAIL_CUT", seq: count };
    if (this.#hashes.get(count) !== hash) return { code: "ROW_CHANGED", seq: count };

    return count < mustBeSigned && now.count < mustBeSigned ? { code: "TAIL_UNSIGNED", seq: count + 1 } : undefined;
  }
}
