import { closeSync, fdatasync, fdatasyncSync, fsyncSync, openSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import type { SqliteFile } from "../disk/sqlite.ts";

/** Windows opens no folders, and keeps their entries by itself. */
const HAS_FOLDERS = process.platform !== "win32";

/**
 * Work that is done once for all who ask for it while it is done before: whoever asks gets one that begins after that. Where it failed, so do
 * all who asked for it.
 */
export function together(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;

  return () => {
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined;
        running = work();

        return running;
      });

    return next;
  };
}

/** What is committed to a SQLite file, and its way to the disk. */
export type Flush = {
  /** Resolves when all that is committed by now outlives a loss of power; one write of the disk serves all who wait. Rejects for good once it failed. */
  whole(): Promise<void>;
  /** The same at once, while everybody waits. */
  wholeNow(): void;
  close(): void;
};

/**
 * Has a file in WAL mode commit without waiting for the disk: who needs it waits for `whole`, and the process answers others meanwhile. As
 * with `synchronous = FULL`, what was waited for is there after a loss of power; what is checkpointed SQLite brings to the disk before.
 * @param path of the file
 */
export function flushOf(database: SqliteFile, path: string): Flush {
  database.script("PRAGMA synchronous = NORMAL");
  // It is there once the file was read, and as long as it is open.
  database.get("SELECT 1 FROM sqlite_schema");
  const log = openSync(`${path}-wal`, "r+");
  // Its name, too, must be on the disk.
  syncFolder(path);
  const sync = promisify(fdatasync);
  let failure: { cause: unknown } | undefined;
  const told = (cause: unknown): never => {
    // What was not written may be thrown away, and another try would say nothing of it.
    failure = { cause };
    throw cause;
  };
  const requireWhole = () => {
    if (failure !== undefined) throw failure.cause;
  };

  return {
    whole: together(async () => {
      requireWhole();
      await sync(log).catch(told);
    }),
    wholeNow() {
      requireWhole();
      try {
        fdatasyncSync(log);
      } catch (cause) {
        told(cause);
      }
    },
    close: () => closeSync(log),
  };
}

/** Writes a file anew, for nobody else to read, in one step that outlives a loss of power: what dies in between leaves the one before. */
export async function replaceFile(path: string, bytes: string | Buffer): Promise<void> {
  const draft = `${path}.tmp`;
  const file = await open(draft, "w", 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
  if (!HAS_FOLDERS) return;
  const folder = await open(dirname(path), "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function syncFolder(path: string): void {
  if (!HAS_FOLDERS) return;
  const folder = openSync(dirname(path), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
