import { createReadStream } from "node:fs";
import { join } from "node:path";
import { type Author, type Channel, keyOf } from "../../entry.ts";
import { IngestionError } from "../../errors.ts";
import type { KnowledgeStore } from "../../store/open.ts";
import { roomOf, roomOfAll } from "../../store/room/quotas.ts";
import { MAX_BATCH, type Quarantine, type Receipt } from "../quarantine/quarantine.ts";
import { parseSubmission } from "../quarantine/submission.ts";
import { linesOf } from "./lines.ts";
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
 * lack of room, goes on where it stood when the same archive is imported again. One import at a time per folder. Throws an IngestionError
 * (`ARCHIVE_...`) for an archive that is refused; then the store is as it was. Throws `IMPORT_DAMAGED` when what was unpacked cannot be read
 * back; then the import is forgotten, and importing the archive again begins it anew.
 */
export async function importArchive(options: ImportOptions): Promise<ImportReport> {
  const { archive, store, folder, review, onProgress = () => {} } = options;
  const digest = await digestOf(archive);
  await sweep({ database: store.database, folder });
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

  const lines = new Lines(join(folder, staged), { from: report.done, to: report.total });
  try {
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
  } catch (error) {
    // Kept, it would end every later import of this archive at the same line.
    if (error instanceof IngestionError && error.code === "IMPORT_DAMAGED") await forget(store, folder, digest);
    throw error;
  } finally {
    await lines.close();
  }

  if (report.done < report.total) return { ...report, outcome: "waiting" };
  await forget(store, folder, digest);

  return report;
}

async function forget({ database }: KnowledgeStore, folder: string, digest: string): Promise<void> {
  database.run("DELETE FROM imports WHERE digest = ?", digest);
  await sweep({ database, folder });
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
  const unpacked = await stageArchive(archive, digest, { database, folder });
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

type Staged = { value: unknown; author: Author };

/** Staged lines between two positions, taken as long as they have room. Throws `IMPORT_DAMAGED` for what was not staged like this. */
class Lines {
  readonly #lines: AsyncGenerator<string>;
  readonly #to: number;
  #at = 0;
  #toSkip: number;
  #ahead: Staged | undefined;

  constructor(path: string, { from, to }: { from: number; to: number }) {
    this.#lines = linesOf(bytesOf(path));
    this.#toSkip = from;
    this.#to = to;
  }

  async take(hasRoom: (author: Author) => boolean): Promise<unknown[]> {
    const batch: unknown[] = [];
    while (batch.length < MAX_BATCH) {
      this.#ahead ??= await this.#next();
      if (this.#ahead === undefined || !hasRoom(this.#ahead.author)) break;
      batch.push(this.#ahead.value);
      this.#ahead = undefined;
    }

    return batch;
  }

  async close(): Promise<void> {
    await this.#lines.return(undefined);
  }

  async #next(): Promise<Staged | undefined> {
    try {
      for (; this.#toSkip > 0; this.#toSkip -= 1) await this.#line();
      if (this.#at === this.#to) return undefined;
      const value: unknown = JSON.parse(await this.#line());

      return { value, author: parseSubmission(value).signed };
    } catch {
      // Without its cause: a parser's message quotes what it could not read.
      throw new IngestionError(
        "IMPORT_DAMAGED",
        "What was unpacked of the archive cannot be read back and has been removed.",
      );
    }
  }

  async #line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done) throw new RangeError(`line ${this.#at + 1} of ${this.#to} is missing`);
    this.#at += 1;

    return value;
  }
}

/** Opened with the first read, so that nobody has to close what nobody read. */
async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path);
}

/** Says how long entries of an author still fit, counting those it said yes to. */
function roomCounter({ database }: KnowledgeStore): (author: Author) => boolean {
  let left = roomOfAll(database);
  const leftOf = new Map<string, number>();

  return (author) => {
    const key = keyOf(author);
    const own = leftOf.get(key) ?? roomOf(database, author);
    if (own <= 0 || left <= 0) return false;
    leftOf.set(key, own - 1);
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
