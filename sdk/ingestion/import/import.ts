import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Channel } from "../entry.ts";
import { MAX_BATCH, type Quarantine, type Receipt } from "../quarantine/quarantine.ts";
import { roomOf, roomOfAll } from "../quarantine/quotas.ts";
import { parseSubmission } from "../quarantine/submission.ts";
import type { KnowledgeStore } from "../store/open.ts";
import { digestOf, type StagedArchive, stageArchive, sweep } from "./stage.ts";

export type ImportProgress = { done: number; total: number };

export type ImportReport = {
  /** `waiting`: quarantine has no room for the rest; import the same archive again when entries have been decided. */
  outcome: "complete" | "waiting";
  total: number;
  done: number;
  quarantined: number;
  /** Entries that did not get in, by code. */
  refused: Record<string, number>;
  strippedFields: number;
  ignoredFiles: number;
};

export type ImportOptions = {
  /** Path of a zip, tar or gzipped tar. */
  archive: string;
  channel: Channel;
  store: KnowledgeStore;
  quarantine: Quarantine;
  /** Folder for unpacked entries, on the store's own disk. */
  folder: string;
  /** Decides on what is in quarantine, so that there is room for more. */
  review: () => Promise<void>;
  onProgress?: (progress: ImportProgress) => void;
};

/**
 * Imports an archive of entries: each goes through quarantine like anything from outside. An import that was interrupted, by a crash or for
 * lack of room, goes on where it stood when the same archive is imported again. One import at a time per folder. Throws an IngestionError (`Archive...`) for an archive that
 * is refused; then the store is as it was.
 */
export async function importArchive(options: ImportOptions): Promise<ImportReport> {
  const { archive, store, folder, review, onProgress = () => {} } = options;
  await sweep(store.database, folder);
  const digest = await digestOf(archive);
  const { staged, lineCount, linesDone, unpacked } = await begin(store, archive, folder, digest);
  const report: ImportReport = {
    outcome: "complete",
    total: lineCount,
    done: linesDone,
    quarantined: 0,
    refused: { ...unpacked?.refused },
    strippedFields: unpacked?.strippedFields ?? 0,
    ignoredFiles: unpacked?.ignoredFiles ?? 0,
  };
  onProgress(report);

  const lines = new Lines(join(folder, staged), report.done);
  while (report.done < report.total) {
    let batch = await lines.take(roomCounter(store));
    if (batch.length === 0) {
      await review();
      batch = await lines.take(roomCounter(store));
    }
    if (batch.length === 0) break;

    const done = report.done + batch.length;
    const receipts = await options.quarantine.receive(batch, options.channel, () => {
      store.database.run("UPDATE imports SET lines_done = ? WHERE digest = ?", done, digest);
    });
    count(report, receipts);
    report.done = done;
    onProgress(report);
    await review();
  }
  lines.close();

  if (report.done < report.total) return { ...report, outcome: "waiting" };
  store.database.run("DELETE FROM imports WHERE digest = ?", digest);
  await rm(join(folder, staged), { force: true });
  return report;
}

type Begun = { staged: string; lineCount: number; linesDone: number; unpacked?: StagedArchive };

async function begin(
  { database, clock }: KnowledgeStore,
  archive: string,
  folder: string,
  digest: string,
): Promise<Begun> {
  const known = database.get("SELECT * FROM imports WHERE digest = ?", digest);
  if (known !== undefined) {
    return { staged: String(known.staged), lineCount: Number(known.line_count), linesDone: Number(known.lines_done) };
  }
  const unpacked = await stageArchive(archive, folder, digest);
  // From here on the import exists: what a crash leaves before is swept.
  database.run(
    "INSERT INTO imports (digest, staged, line_count, started_at) VALUES (?, ?, ?, ?)",
    digest,
    unpacked.staged,
    unpacked.lineCount,
    clock.now(),
  );

  return { staged: unpacked.staged, lineCount: unpacked.lineCount, linesDone: 0, unpacked };
}

/** Staged lines from a position on, taken as long as they have room. */
class Lines {
  readonly #reader;
  readonly #lines: AsyncIterator<string>;
  #toSkip: number;
  #ahead: { value: unknown; agentId: bigint } | undefined;

  constructor(path: string, from: number) {
    this.#reader = createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
    this.#lines = this.#reader[Symbol.asyncIterator]();
    this.#toSkip = from;
  }

  async take(hasRoom: (agentId: bigint) => boolean): Promise<unknown[]> {
    const batch: unknown[] = [];
    while (batch.length < MAX_BATCH) {
      this.#ahead ??= await this.#next();
      if (this.#ahead === undefined || !hasRoom(this.#ahead.agentId)) break;
      batch.push(this.#ahead.value);
      this.#ahead = undefined;
    }

    return batch;
  }

  close(): void {
    this.#reader.close();
  }

  async #next(): Promise<{ value: unknown; agentId: bigint } | undefined> {
    for (; this.#toSkip > 0; this.#toSkip -= 1) await this.#lines.next();
    const { value, done } = await this.#lines.next();
    if (done) return undefined;
    const parsed: unknown = JSON.parse(value);

    return { value: parsed, agentId: parseSubmission(parsed).signed.agentId };
  }
}

/** Says how long entries of an author still fit, counting those it said yes to. */
function roomCounter({ database }: KnowledgeStore): (agentId: bigint) => boolean {
  let left = roomOfAll(database);
  const leftOf = new Map<bigint, number>();

  return (agentId) => {
    const own = leftOf.get(agentId) ?? roomOf(database, agentId);
    if (own <= 0 || left <= 0) return false;
    leftOf.set(agentId, own - 1);
    left -= 1;

    return true;
  };
}

function count(report: ImportReport, receipts: readonly Receipt[]): void {
  for (const receipt of receipts) {
    if (receipt.outcome === "quarantined") {
      report.quarantined += 1;
    } else {
      const code = receipt.outcome === "rejected" ? receipt.rejection.code : receipt.code;
      report.refused[code] = (report.refused[code] ?? 0) + 1;
    }
  }
}
