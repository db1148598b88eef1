import { isNamedKey } from "./rules/hex.ts";

/** Characters that show nothing: soft hyphen, zero-width and bidirectional marks, invisible operators, variation selectors, tags. */
const INVISIBLE =
  /[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|\u034f|[\ufe00-\ufe0f]|\u{e0001}|[\u{e0020}-\u{e007f}]|[\u{e0100}-\u{e01ef}]/u;
const INVISIBLES = new RegExp(INVISIBLE.source, "gu");
/** Fullwidth forms of the ASCII characters. */
const FULLWIDTH = /[\uff01-\uff5e]+/;
const FULLWIDTHS = new RegExp(FULLWIDTH.source, "g");

export type Undisguised = {
  text: string;
  /** The offset in the original of the character at an offset of the plain text. */
  offsetOf(offset: number): number;
};

/** The text without invisible characters and with plain ASCII for fullwidth forms; undefined where that changes nothing. */
export function withoutDisguise(text: string): Undisguised | undefined {
  const isFullwidth = FULLWIDTH.test(text);
  if (!isFullwidth && !INVISIBLE.test(text)) return undefined;

  // As long as before: only what follows moves offsets.
  const halfwidth = isFullwidth ? text.replace(FULLWIDTHS, toAscii) : text;

  return edited(halfwidth, removals(halfwidth));
}

function* removals(text: string): Generator<Edit> {
  for (const { index, 0: found } of text.matchAll(INVISIBLES))
    yield { start: index, end: index + found.length, piece: "" };
}

/** ASCII characters as URLs, JSON and JavaScript strings and HTML escape them, escaped once or more often. */
const ESCAPE =
  /%(?:25){0,3}([2-7][\da-f]|0[9ad])|\\{1,8}(?:u00|x|u\{0{0,4})([2-7][\da-f]|0[9ad])\}?|&#(?:x0{0,4}([2-7][\da-f]|0[9ad])|0{0,4}(\d{1,3}));/i;
const ESCAPES = new RegExp(ESCAPE.source, "gi");

/** Hex digits that go on in the next line, which may be written as \n. */
const WRAPPED = /(?:0x|(?<![\da-f]))[\da-f]{1,63}(?:[ \t]*(?:[\r\n]|\\{1,8}[rn])(?:\s|\\{1,8}[rnt])*[\da-f]+\b)+/gi;
const WRAP = /[ \t]*(?:[\r\n]|\\{1,8}[rn])(?:\s|\\{1,8}[rnt])*/gi;

const KEY_DIGITS = 64;

/**
 * The text with escaped ASCII resolved, and with the lines joined over which the 64 hex digits of a key are wrapped, if 0x or the
 * name of a private key stands before them: two unnamed hashes of 32 digits are no key. Undefined where that changes nothing.
 */
export function withoutEscapes(text: string): Undisguised | undefined {
  const resolved = ESCAPE.test(text) ? edited(text, resolutions(text)) : undefined;
  const flat = resolved?.text ?? text;
  const wraps = [...wrapsOfKeys(flat)];
  if (wraps.length === 0) return resolved;
  const joined = edited(flat, wraps);

  return {
    text: joined.text,
    offsetOf: (offset) => resolved?.offsetOf(joined.offsetOf(offset)) ?? joined.offsetOf(offset),
  };
}

function* resolutions(text: string): Generator<Edit> {
  for (const { index, 0: found, 1: url, 2: script, 3: entity, 4: decimal } of text.matchAll(ESCAPES)) {
    const code = Number.parseInt(decimal ?? url ?? script ?? entity ?? "", decimal === undefined ? 16 : 10);
    if (code < 0x80) yield { start: index, end: index + found.length, piece: String.fromCharCode(code) };
  }
}

function* wrapsOfKeys(text: string): Generator<Edit> {
  for (const { index, 0: run } of text.matchAll(WRAPPED)) {
    const isPrefixed = /^0x/i.test(run);
    const first = isPrefixed ? 2 : 0;
    let digits = 0;
    let pieceStart = first;
    const wraps: Edit[] = [];
    for (const { index: at, 0: wrap } of run.matchAll(WRAP)) {
      digits += at - pieceStart;
      if (digits >= KEY_DIGITS) break;
      pieceStart = at + wrap.length;
      wraps.push({ start: index + at, end: index + pieceStart, piece: "" });
    }
    if (digits < KEY_DIGITS) digits += run.length - pieceStart;
    if (digits === KEY_DIGITS && (isPrefixed || isNamedKey(text, index))) yield* wraps;
  }
}

type Edit = { start: number; end: number; piece: string };

/** The text with ranges replaced, in order, each by one character or none. */
function edited(text: string, edits: Iterable<Edit>): Undisguised {
  const parts: string[] = [];
  let last = 0;
  let length = 0;
  // Where each edit happened in the plain text, and how much longer the original is from there on.
  const at: number[] = [0];
  const shift: number[] = [0];
  for (const { start, end, piece } of edits) {
    parts.push(text.slice(last, start), piece);
    length += start - last + piece.length;
    last = end;
    at.push(length);
    shift.push(last - length);
  }
  parts.push(text.slice(last));

  return {
    text: parts.join(""),
    offsetOf(offset) {
      let low = 0;
      let high = at.length;
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if ((at[middle] ?? 0) <= offset) low = middle;
        else high = middle;
      }

      return offset + (shift[low] ?? 0);
    },
  };
}

function toAscii(run: string): string {
  let ascii = "";
  for (let index = 0; index < run.length; index += 1) ascii += String.fromCharCode(run.charCodeAt(index) - 0xfee0);

  return ascii;
}
