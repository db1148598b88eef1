import { boxedLetter, latinLookAlike } from "./confusables.ts";
import { type MappedText, MappedTextBuilder, unchanged } from "./mapped.ts";

/**
 * Code points drawn as nothing, as first and last of each range: controls, zero-width characters, bidi controls, variation
 * selectors, fillers, the rest of the Tag block.
 */
const INVISIBLE = [
  [0x00, 0x08],
  [0x0b, 0x0c],
  [0x0e, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
  [0xe0000, 0xe001f],
  [0xe007f, 0xe007f],
  [0xe0100, 0xe01ef],
] as const;
const MARK = /^\p{M}$/u;
const LATIN = /\p{Script=Latin}/u;
const LATIN_WITH_MARKS = /^\p{Script=Latin}\p{M}+$/u;
const LETTER = /^\p{L}$/u;
const OTHER_SCRIPT = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;
/** A longer run of letters is no word, and is judged in pieces. */
const MAX_WORD = 64;
const FLAG_BASE = 0x1f3f4;

/** NFKC, character by character (a base with its marks at a time). */
export function nfkc(text: string): MappedText {
  if (isPlain(text) || text.normalize("NFKC") === text) return unchanged(text);
  const builder = new MappedTextBuilder(text.length);
  for (const cluster of clusters(text)) {
    const { start, end, value } = cluster;
    builder.push(isAscii(value) ? value : value.normalize("NFKC"), start, end);
  }

  return builder.build();
}

/**
 * What a reader sees, in plain letters: Tag-block text made visible, invisible characters gone, NFKC, marks taken off Latin letters,
 * look-alikes replaced by the Latin letter inside words that hold one (so that Russian and Greek stay what they are).
 */
export function fold(text: string): MappedText {
  if (isPlain(text)) return unchanged(text);
  const builder = new MappedTextBuilder(text.length);
  let word: Piece[] = [];
  let isFlag = false;
  const isLatinText = isMostlyLatin(text);

  const flush = () => {
    for (const { start, end, value } of foldWord(word, isLatinText)) builder.push(value, start, end);
    word = [];
  };

  for (const { start, end, value } of clusters(text)) {
    const codePoint = value.codePointAt(0) ?? 0;
    if (codePoint >= 0xe0020 && codePoint <= 0xe007e) {
      // A flag such as Scotland's is spelt in tags, too.
      if (!isFlag) word.push({ start, end, value: String.fromCharCode(codePoint - 0xe0000) });
      continue;
    }
    isFlag = codePoint === FLAG_BASE;
    if (isInvisible(codePoint)) continue;
    const shown = isAscii(value) ? value : (boxedLetter(codePoint) ?? shownAs(value));
    if (isWordCharacter(shown)) {
      if (word.length >= MAX_WORD) flush();
      word.push({ start, end, value: shown });
    } else {
      flush();
      builder.push(shown, start, end);
    }
  }
  flush();

  return builder.build();
}

type Piece = {
  readonly start: number;
  readonly end: number;
  readonly value: string;
};

/** Characters of the text, each with the marks that follow it; a heap of marks counts as none. */
function* clusters(text: string): Generator<Piece> {
  let i = 0;
  while (i < text.length) {
    const start = i;
    i += (text.codePointAt(i) ?? 0) > 0xffff ? 2 : 1;
    const baseEnd = i;
    let marks = 0;
    while (i < text.length && text.charCodeAt(i) > 0x2ff && isMark(text, i)) {
      i += (text.codePointAt(i) ?? 0) > 0xffff ? 2 : 1;
      marks += 1;
    }
    yield { start, end: i, value: marks > 3 ? text.slice(start, baseEnd) : text.slice(start, i) };
  }
}

function isMark(text: string, index: number): boolean {
  const codePoint = text.codePointAt(index) ?? 0;

  return !isInvisible(codePoint) && MARK.test(String.fromCodePoint(codePoint));
}

function shownAs(value: string): string {
  // The lunate sigma is drawn as c, yet NFKC makes a sigma of it.
  const first = value.charAt(0);
  const early = first === "\u03f2" || first === "\u03f9" ? latinLookAlike(first) : undefined;
  const composed = early ?? value.normalize("NFKC");
  const taken = composed.normalize("NFD");

  return LATIN_WITH_MARKS.test(taken) ? taken.charAt(0) : composed;
}

function foldWord(word: readonly Piece[], isLatinText: boolean): readonly Piece[] {
  let hasLatin = false;
  let hasLookAlike = false;
  let hasForeign = false;
  for (const { value } of word) {
    if (latinLookAlike(value) !== undefined) hasLookAlike = true;
    else if (LATIN.test(value)) hasLatin = true;
    else if (value > "\x7f") hasForeign = true;
  }
  if (!hasLookAlike || !(hasLatin || (isLatinText && !hasForeign))) return word;

  return word.map((piece) => ({ ...piece, value: latinLookAlike(piece.value) ?? piece.value }));
}

/** Whether letters of other scripts that look like no Latin letter are rare: then a word of look-alikes alone is not Russian or Greek. */
function isMostlyLatin(text: string): boolean {
  let latin = 0;
  let foreign = 0;
  for (let i = 0; i < text.length; i += 1) {
    const character = text.charAt(i);
    if (character < "\x80") latin += isAsciiLetter(character) ? 1 : 0;
    else if (latinLookAlike(character) === undefined && OTHER_SCRIPT.test(character)) foreign += 1;
  }

  return latin > 4 * foreign;
}

function isWordCharacter(value: string): boolean {
  const first = value.charAt(0);

  return first < "\x80"
    ? isAsciiLetter(first) || (first >= "0" && first <= "9")
    : LETTER.test(first) || first >= "\ud800";
}

function isAsciiLetter(character: string): boolean {
  return (character >= "a" && character <= "z") || (character >= "A" && character <= "Z");
}

function isAscii(value: string): boolean {
  return value.length === 1 && value < "\x80";
}

/** Printable ASCII, tabs and line ends. */
function isPlain(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7e || (unit < 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09)) return false;
  }

  return true;
}

function isInvisible(codePoint: number): boolean {
  if (codePoint >= 0x20 && codePoint < 0x7f) return false;

  return INVISIBLE.some(([first, last]) => codePoint >= first && codePoint <= last);
}
