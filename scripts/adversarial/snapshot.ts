import type { Result } from "../eval/poison/report.ts";

/** Poison that passed, by what the Grimoire knows and by class. */
export type Snapshot = Record<string, Record<string, { rows: number; passed: number }>>;

/** A share may rise by this much without a word (specification 14.2). */
const ALLOWED_RISE = 0.01;

export function snapshotOf(results: readonly Result[]): Snapshot[string] {
  return Object.fromEntries(
    results.map(({ set, poison }) => [
      set.name,
      { rows: poison.length, passed: poison.filter(({ outcome }) => outcome === "passed").length },
    ]),
  );
}

/** One sentence for each class of which more passes than before, by more than is allowed, and for each that is not measured any more. */
export function compareSnapshots(before: Snapshot, now: Snapshot): string[] {
  return Object.entries(before).flatMap(([setting, classes]) =>
    Object.entries(classes).flatMap(([name, old]) => {
      const current = now[setting]?.[name];
      if (current === undefined || current.rows === 0) return [`${name} (${setting}) is not measured any more.`];
      const rise = current.passed / current.rows - old.passed / old.rows;
      if (rise <= ALLOWED_RISE) return [];

      return [
        `${name} (${setting}): ${old.passed} of ${old.rows} passed before, ${current.passed} of ${current.rows} now.`,
      ];
    }),
  );
}
