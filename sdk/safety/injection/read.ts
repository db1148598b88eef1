import { type View, viewsOf } from "../../text/views/views.ts";
import type { ThreatCheck } from "../sanitize/patterns.ts";
import { threatChecks } from "../sanitize/sanitize.ts";
import { matchPatterns, NESTED_ENCODING } from "./patterns.ts";
import { type Reading, readingsOf } from "./readings.ts";

/** Where a pattern matched, in the raw text; never the text itself. */
export type InjectionOffset = {
  readonly pattern: string;
  /** The view in which it shows. */
  readonly view: string;
  readonly start: number;
  readonly end: number;
};

/** All that is known of a text before a classifier is asked. Plain data. */
export type TextReading = {
  readonly offsets: readonly InjectionOffset[];
  /** Checks of the sanitiser that fire. */
  readonly threats: readonly ThreatCheck[];
  readonly readings: readonly Reading[];
};

/** Reads a text in every view. @throws OptionalPackageError without RE2 */
export function readText(text: string): TextReading {
  const views = viewsOf(text);

  return { offsets: matchViews(views), threats: threatChecks(text, views), readings: readingsOf(views) };
}

/** The first match of each pattern, in the first view that shows it. */
function matchViews(views: readonly View[]): readonly InjectionOffset[] {
  const offsets = new Map<string, InjectionOffset>();
  for (const view of views) {
    if (view.name === "nested") {
      if (!offsets.has(NESTED_ENCODING))
        offsets.set(NESTED_ENCODING, { pattern: NESTED_ENCODING, view: view.name, ...view.source(0, 0) });
      continue;
    }
    for (const { name, start, end } of matchPatterns(view.text)) {
      if (!offsets.has(name)) offsets.set(name, { pattern: name, view: view.name, ...view.source(start, end) });
    }
  }

  return [...offsets.values()];
}
