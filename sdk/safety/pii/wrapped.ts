import { type MappedText, MappedTextBuilder } from "../../text/mapped.ts";
import { isNamedKey } from "./rules/hex.ts";

/** Hex digits that go on in the next line. */
const WRAPPED = /(?:0x|(?<![\da-f]))[\da-f]{1,63}(?:[ \t]*[\r\n]\s*[\da-f]+\b)+/gi;
const WRAP = /[ \t]*[\r\n]\s*/g;

const KEY_DIGITS = 64;

/**
 * The text with the lines joined over which the 64 hex digits of a key are wrapped, if 0x or the name of a private key stands before
 * them: two unnamed hashes of 32 digits are no key. Undefined where there are none.
 */
export function withJoinedKeys(text: string): MappedText | undefined {
  let builder: MappedTextBuilder | undefined;
  let last = 0;
  for (const { start, end } of wrapsOfKeys(text)) {
    builder ??= new MappedTextBuilder();
    builder.push(text.slice(last, start), last, start);
    last = end;
  }
  builder?.push(text.slice(last), last, text.length);

  return builder?.build();
}

function* wrapsOfKeys(text: string): Generator<{ start: number; end: number }> {
  for (const { index, 0: run } of text.matchAll(WRAPPED)) {
    const isPrefixed = /^0x/i.test(run);
    const first = isPrefixed ? 2 : 0;
    let digits = 0;
    let pieceStart = first;
    const wraps: { start: number; end: number }[] = [];
    for (const { index: at, 0: wrap } of run.matchAll(WRAP)) {
      digits += at - pieceStart;
      if (digits >= KEY_DIGITS) break;
      pieceStart = at + wrap.length;
      wraps.push({ start: index + at, end: index + pieceStart });
    }
    if (digits < KEY_DIGITS) digits += run.length - pieceStart;
    if (digits === KEY_DIGITS && (isPrefixed || isNamedKey(text, index))) yield* wraps;
  }
}
