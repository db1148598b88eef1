import { sentencesIn } from "../../cut/sentences.ts";
import { unitsOf } from "../../cut/units.ts";

/** A unit is judged by its sentences too from this length on, in UTF-16 units. */
const LONG = 60;

/**
 * The pieces of a text that are judged one by one, so that an attack is not drowned by what surrounds it: each line, and each part that
 * could be withheld by itself (string values of every notation, cells, attributes, sentences), the longer ones by sentence as well. All
 * pieces together are at most three times the text. In the order in which they stand, without repetition.
 */
export function piecesOf(text: string): readonly string[] {
  const pieces = new Set<string>();
  const add = (piece: string) => {
    const trimmed = piece.trim();
    if (trimmed !== "") pieces.add(trimmed);
  };
  for (const { start, end } of unitsOf(text).units) {
    const unit = text.slice(start, end);
    add(unit);
    if (unit.length < LONG) continue;
    for (const sentence of sentencesIn(unit)) add(unit.slice(sentence.start, sentence.end));
  }
  for (const line of text.split("\n")) add(line);

  return [...pieces];
}
