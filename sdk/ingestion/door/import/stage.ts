import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, mkdtemp, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { IngestionError } from "../../errors.ts";
import type { Database } from "../../store/database.ts";
import { writeSubmission } from "../quarantine/submission.ts";
import { readArchive } from "./archive.ts";
import { readEntries } from "./lines.ts";

const UNFINISHED = "unpacking-";
const WRITE_AT_ONCE = 256 * 1_024;

/** What came of unpacking: how many entries wait, and what was left out, by code. */
export type StagedArchive = {
  digest: string;
  /** File name inside the imports folder; one cleaned entry a line. */
  staged: string;
  lineCount: number;
  refused: Record<string, number>;
  /** Fields beside an entry's own that held keys, passwords or tokens; all unknown fields are dropped. */
  strippedFields: number;
  /** Files that belong to a Grimoire and are computed here instead: search tables, databases. */
  ignoredFiles: number;
};

/** SHA-256 of a file, in hex. */
export async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  try {
    await pipeline(createReadStream(path), hash);
  } catch (error) {
    throw new IngestionError("ARCHIVE_UNREADABLE", "The archive cannot be read.", {
      cause: error,
    });
  }

  return hash.digest("hex");
}

/**
 * Unpacks an archive into `folder`: its entries, cleaned, in one file of a name of our own. It is written beside its place and moved there
 * when it is whole and on disk, so that a refused archive or a crash leaves nothing that could be taken for an import.
 */
export async function stageArchive(archive: string, folder: string, digest: string): Promise<StagedArchive> {
  const result: StagedArchive = {
    digest,
    staged: `${digest}.jsonl`,
    lineCount: 0,
    refused: {},
    strippedFields: 0,
    ignoredFiles: 0,
  };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = await mkdtemp(join(folder, UNFINISHED));
  try {
    const path = join(temporary, "entries.jsonl");
    const file = await open(path, "wx", 0o600);
    let waiting = "";
    try {
      for await (const archived of readArchive(archive, () => {
        result.ignoredFiles += 1;
      })) {
        for await (const outcome of readEntries(archived)) {
          result.strippedFields += outcome.strippedFields;
          if ("refused" in outcome) {
            result.refused[outcome.refused] = (result.refused[outcome.refused] ?? 0) + 1;
          } else {
            waiting += `${writeSubmission(outcome.submission)}\n`;
            result.lineCount += 1;
          }
          if (waiting.length >= WRITE_AT_ONCE) {
            await file.write(waiting);
            waiting = "";
          }
        }
      }
      await file.write(waiting);
      await file.sync();
    } finally {
      await file.close();
    }
    if (result.lineCount === 0)
      throw new IngestionError("ARCHIVE_EMPTY", "The archive holds no entry that could be imported.");

    await rename(path, join(folder, result.staged));
    await syncFolder(folder);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }

  return result;
}

/** Removes what no import is known for: leftovers of a crash. */
export async function sweep(database: Database, folder: string): Promise<void> {
  const known = new Set(database.all("SELECT staged FROM imports").map((row) => String(row.staged)));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    if (!known.has(name)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
