import type { AuditRow } from "./log.ts";

/** A row as a line of JSON: as it is exported, archived and stored elsewhere. */
export function lineOf({ seq, record, previous, hash }: AuditRow): string {
  return `${JSON.stringify({ seq, previous, hash }).slice(0, -1)},"record":${record}}\n`;
}

/** The rows of such lines. A record reads as it was written: its hash shows where it does not. @throws SyntaxError, TypeError */
export function rowsOf(lines: string): AuditRow[] {
  return lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const { seq, previous, hash, record } = JSON.parse(line);

      return { seq: Number(seq), record: JSON.stringify(record), previous: String(previous), hash: String(hash) };
    });
}
