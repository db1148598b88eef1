import { tokenize, windowsOf } from "../../../../models/lite-features.ts";

const MIN_TOKENS = 4;
const QUOTED = /"([^"\\\n]{16,4000})"|<!--((?:(?!-->|<!--).){8,4000})-->/gs;

/**
 * The pieces of a text that are judged one by one, as tokens: the whole (in overlapping windows when it is long), each line, each
 * quoted value and each comment, so that an attack is not drowned by what surrounds it. All pieces together are at most about three
 * times the text.
 */
export function segmentsOf(text: string): readonly (readonly string[])[] {
  const pieces = new Set([text]);
  const lines = text.split("\n");
  if (lines.length > 1) for (const line of lines) pieces.add(line);
  for (const match of text.matchAll(QUOTED)) pieces.add(match[1] ?? match[2] ?? "");

  const segments: (readonly string[])[] = [];
  for (const piece of pieces) {
    const tokens = tokenize(piece);
    if (piece !== text && tokens.length < MIN_TOKENS) continue;
    segments.push(...windowsOf(tokens));
  }

  return segments;
}
