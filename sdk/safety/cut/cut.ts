import { type MappedText, MappedTextBuilder, type Span } from "../../text/mapped.ts";
import { united, withContext } from "./context.ts";
import { findFlagged } from "./find.ts";
import type { Unit } from "./units.ts";
import { markOf, newWithheldId, type Withheld } from "./withheld.ts";

/** The share of a text's characters that may be withheld: of what is mostly an order, nothing passes. */
const MOST_WITHHELD = 1 / 3;

/** How much is looked at on both sides of what was withheld. */
const AROUND = 2_000;

export type Cut = {
  /** The units that are gone. */
  readonly found: ReadonlySet<Unit>;
  /** The text with a mark in the place of each part. */
  readonly rest: MappedText;
  /** What stands before and behind each mark, as if nothing stood between. */
  readonly joined: string;
  readonly withheld: readonly Withheld[];
};

/**
 * Cuts out of a text that is flagged what is flagged in it. Undefined where nothing is found, or more than a third would go; the rest
 * is still to be judged.
 * @param before an earlier cut, whose rest is flagged as well
 * @param isFlagged judges a range of the text
 * @param isStopped whether to give up
 */
export async function cutText({
  text,
  units,
  before,
  isFlagged,
  isStopped,
}: {
  text: string;
  units: readonly Unit[];
  before: Cut | undefined;
  isFlagged: (span: Span) => Promise<boolean>;
  isStopped: () => boolean;
}): Promise<Cut | undefined> {
  const isTooMuch = (found: ReadonlySet<Unit>) => lengthOf(found) > MOST_WITHHELD * text.length;
  const known = before?.found ?? new Set();
  const flagged = await findFlagged(units, known, isFlagged, (found) => isStopped() || isTooMuch(found));
  if (isStopped() || flagged.size === known.size) return undefined;
  const found = withContext(text, units, flagged);
  if (isTooMuch(found)) return undefined;

  const gone = units.filter((unit) => found.has(unit));

  return { found, ...without(text, united(text, gone)) };
}

function lengthOf(units: Iterable<Unit>): number {
  let length = 0;
  for (const { start, end } of units) length += end - start;

  return length;
}

function without(text: string, units: readonly Unit[]): Omit<Cut, "found"> {
  const rest = new MappedTextBuilder();
  const withheld: Withheld[] = [];
  let joined = "";
  let last = 0;
  for (const { start, end, quote } of units) {
    const id = newWithheldId();
    const before = text.slice(last, start);
    rest.push(before, last, start);
    rest.push(`${quote}${markOf(id)}${quote}`, start, end);
    const shown = /\s/.test(text.charAt(end)) ? before.trimEnd() : before;
    joined +=
      shown.length <= 2 * AROUND ? shown : `${last === 0 ? "" : shown.slice(0, AROUND)}\n${shown.slice(-AROUND)}`;
    withheld.push({ id, start, end });
    last = end;
  }
  rest.push(text.slice(last), last, text.length);

  return { rest: rest.build(), joined: joined + text.slice(last, last + AROUND), withheld };
}
