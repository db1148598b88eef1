// What the judges of a command share.

import { protectedPath, type RealPaths, type Use } from "../paths.ts";
import { knownLetters, SPLIT, UNKNOWN } from "../pattern.ts";
import type { HostPolicy } from "../policy.ts";
import { refuse } from "../verdict.ts";

/** What a command reads where it is told nothing else. */
export type Input =
  | { kind: "none" }
  | { kind: "text"; text: string }
  | { kind: "file"; path: string }
  /** The output of another command, and its lines where they are known to be such words. */
  | { kind: "pipe"; lines: readonly string[] | undefined };

export const NO_INPUT: Input = { kind: "none" };

/** One judgement of one line. */
export type Run = {
  policy: HostPolicy;
  files: RealPaths;
  /** The current folder; undefined once it is unknown. */
  folder: string | undefined;
  /** Files that the line writes, and files that it runs. */
  written: string[];
  executed: string[];
  judgeScript(text: string, input: Input): void;
  judgeWords(words: readonly string[], input: Input): void;
};

/** The last part of a path, in small letters. */
export function baseOf(path: string): string {
  return (path.split("/").at(-1) ?? "").toLowerCase();
}

function touchPath(run: Run, path: string, use: Use): void {
  const found = protectedPath(path, { ...run, use });
  if (found === undefined) return;
  refuse(found.access === "secret" ? "SECRET_FILE" : "PROTECTED_FILE", `It may touch ${found.path}.`);
}

/** What of a word may be a path: the word, what stands behind an option's letter, and what stands between signs. */
function pathsIn(word: string): string[] {
  const segments = word
    .split(SPLIT)
    .map((part, index, all) => (index > 0 ? UNKNOWN : "") + part + (index < all.length - 1 ? UNKNOWN : ""));
  const pieces = segments.flatMap((segment) => [segment, ...segment.split(/[=:,@]/)]);

  return [...new Set(pieces)].flatMap((piece) =>
    /^-[^-]/.test(piece) ? [piece.slice(2)] : piece.startsWith("--") ? [] : [piece],
  );
}

/** @throws Refused where a word can be a path that is protected against this use */
export function touch(run: Run, word: string, use: Use): void {
  if (use === "name") return;
  for (const path of pathsIn(word)) if (path !== "") touchPath(run, path, use);
}

/** A file that the line writes. */
export function write(run: Run, word: string): void {
  touch(run, word, "write");
  if (!/^\/dev\/(?:null|stdout|stderr|tty|full)$/.test(word)) run.written.push(baseOf(word));
}

/** A file of code that the line runs: it must be a file, and one that was there before. */
export function execute(run: Run, word: string): void {
  if (
    /^\/(?:dev|proc)\//.test(word) ||
    word === "-" ||
    knownLetters(baseOf(word)) !== baseOf(word) ||
    baseOf(word) === ""
  ) {
    refuse("CODE_UNSEEN", "It runs code that no file of the workspace holds.");
  }
  touch(run, word, "read");
  run.executed.push(baseOf(word));
}
