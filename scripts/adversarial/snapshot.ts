import { join } from "node:path";
import type { Result } from "../eval/poison/report.ts";

/** Poison that passed, and honest entries that did not, by setting and by class. */
export type Snapshot = Record<string, Record<string, Counts>>;

type Counts = { rows: number; passed: number; honest: number; stopped: number };

const folder = join(import.meta.dirname, "..", "..", "snapshots");
export const FULL_FILE = join(folder, "adversarial.json");
export const SAMPLE_FILE = join(folder, "adversarial-sample.json");

/** A share may rise by this much without a word (specification 14.2). */
const ALLOWED_RISE = 0.01;

export function snapshotOf(results: readonly Result[]): Snapshot[string] {
  return Object.fromEntries(
    results.map(({ set, poison, benign }) => [
      set.name,
      {
        rows: poison.length,
        passed: poison.filter(({ outcome }) => outcome === "passed").length,
        honest: benign.length,
        stopped: benign.filter(({ outcome }) => outcome !== "passed").length,
      },
    ]),
  );
}

/**
 * One sentence for each class of which more poison passes than before, or more that is honest is stopped, by more than is allowed, for
 * each that is not measured any more, and for each of which the recording says nothing.
 */
export function compareSnapshots(before: Snapshot, now: Snapshot): string[] {
  const unrecorded = Object.entries(now).flatMap(([setting, classes]) =>
    Object.keys(classes).flatMap((name) =>
      before[setting]?.[name] === undefined ? [`${name} (${setting}) is in no recording; record it.`] : [],
    ),
  );
  const changed = Object.entries(before).flatMap(([setting, classes]) =>
    Object.entries(classes).flatMap(([name, old]) => {
      const current = now[setting]?.[name];
      if (current === undefined || current.rows === 0 || current.honest === 0) {
        return [`${name} (${setting}) is not measured any more.`];
      }
      if (old.honest === undefined || old.stopped === undefined) {
        return [`${name} (${setting}): the snapshot does not say what became of honest ones; record it anew.`];
      }
      const sentences: string[] = [];
      if (current.passed / current.rows - old.passed / old.rows > ALLOWED_RISE) {
        sentences.push(
          `${name} (${setting}): ${old.passed} of ${old.rows} passed before, ${current.passed} of ${current.rows} now.`,
        );
      }
      if (current.stopped / current.honest - old.stopped / old.honest > ALLOWED_RISE) {
        sentences.push(
          `${name} (${setting}): ${old.stopped} of ${old.honest} honest ones were stopped before, ${current.stopped} of ${current.honest} now.`,
        );
      }

      return sentences;
    }),
  );

  return [...unrecorded, ...changed];
}
