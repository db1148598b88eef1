import {
  czech,
  english,
  french,
  italian,
  japanese,
  korean,
  portuguese,
  simplifiedChinese,
  spanish,
  traditionalChinese,
} from "ox/Mnemonic";
import { decomposed, recomposed } from "../../../../text/fold.ts";
import { russian } from "./russian-words.ts";
import { turkish } from "./turkish-words.ts";

export const WORDLISTS: readonly (readonly string[])[] = [
  english,
  spanish,
  french,
  italian,
  portuguese,
  czech,
  japanese,
  korean,
  simplifiedChinese,
  traditionalChinese,
  russian,
  turkish,
];

/** For every word, in NFKD and lower case: the lists that have it and its place in each. */
const PLACES = new Map<string, readonly { list: number; index: number }[]>();
for (const [list, words] of WORDLISTS.entries()) {
  for (const [index, word] of words.entries()) {
    const key = decomposed(word);
    PLACES.set(key, [...(PLACES.get(key) ?? []), { list, index }]);
  }
}

const LONGEST = Math.max(...[...PLACES.keys()].map((word) => word.length));

/** The place of a word in one list, or -1. */
export function placeIn(list: number, word: string): number {
  for (const place of placesOf(word)) if (place.list === list) return place.index;

  return -1;
}

/** Where a word stands in the BIP-39 lists. */
export function placesOf(word: string): readonly { list: number; index: number }[] {
  if (word.length > LONGEST) return [];

  return PLACES.get(word) ?? PLACES.get(decomposed(word.toLowerCase())) ?? [];
}

/** Marks by length and by first, second and last letter which words can be in a list: spares most words the look-up. */
const SKETCH = new Uint8Array(2 ** 16);
for (const word of PLACES.keys()) {
  for (const form of [word, recomposed(word)]) SKETCH[sketchOf(form, 0, form.length)] = 1;
}

function sketchOf(text: string, start: number, end: number): number {
  // Bit 5 is what differs between the cases of an ASCII letter.
  const first = text.charCodeAt(start) & 31;
  const second = text.charCodeAt(start + 1) & 31;
  const last = text.charCodeAt(end - 1) & 31;

  return ((first << 10) | (second << 5) | last) ^ ((((end - start) & 15) * 4099) & 0xffff);
}

/** Whether the letters of `text` from `start` to `end` can be a word of a list. Says yes to some that are not. */
export function mayBeListed(text: string, start: number, end: number): boolean {
  if (text.charCodeAt(start) > 127 || text.charCodeAt(start + 1) > 127 || text.charCodeAt(end - 1) > 127) return true;

  return end - start > 2 && SKETCH[sketchOf(text, start, end)] === 1;
}
