import type { Span } from "../../text/mapped.ts";
import type { View } from "../../text/views/views.ts";

/** A text for the classifier, and the range of the raw text it was read from. */
export type Reading = Span & {
  readonly name: string;
  readonly text: string;
};

/**
 * What the classifier is asked about: the text as it reads with escapes resolved and look-alikes folded (the earlier views hold
 * nothing that this one lacks), once more with markup taken out where there is some and in the order stored where overrides show
 * another one, and all that was found in each kind of disguise, joined line by line so that many small finds cost one call.
 */
export function readingsOf(views: readonly View[]): readonly Reading[] {
  const whole = views.filter(({ depth }) => depth === 0);
  const readings: Reading[] = [];
  for (const shown of [
    whole.findLast(({ name }) => name !== "undirected" && name !== "unmarked"),
    whole.findLast(({ name }) => name === "unmarked"),
    whole.findLast(({ name }) => name === "undirected"),
  ]) {
    if (shown !== undefined)
      readings.push({ name: shown.name, text: shown.text, ...shown.source(0, shown.text.length) });
  }
  const hidden = new Map<string, View[]>();
  for (const view of views) {
    if (view.depth === 0 || view.text === "") continue;
    const alike = hidden.get(view.name);
    if (alike === undefined) hidden.set(view.name, [view]);
    else alike.push(view);
  }
  for (const [name, found] of hidden) {
    const spans = found.map((view) => view.source(0, view.text.length));
    readings.push({
      name,
      text: found.map(({ text }) => text).join("\n"),
      start: spans.reduce((least, { start }) => Math.min(least, start), Number.POSITIVE_INFINITY),
      end: spans.reduce((most, { end }) => Math.max(most, end), 0),
    });
  }

  return readings;
}
