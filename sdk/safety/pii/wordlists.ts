import { wordlist as czech } from "@scure/bip39/wordlists/czech.js";
import { wordlist as english } from "@scure/bip39/wordlists/english.js";
import { wordlist as french } from "@scure/bip39/wordlists/french.js";
import { wordlist as italian } from "@scure/bip39/wordlists/italian.js";
import { wordlist as japanese } from "@scure/bip39/wordlists/japanese.js";
import { wordlist as korean } from "@scure/bip39/wordlists/korean.js";
import { wordlist as portuguese } from "@scure/bip39/wordlists/portuguese.js";
import { wordlist as simplifiedChinese } from "@scure/bip39/wordlists/simplified-chinese.js";
import { wordlist as spanish } from "@scure/bip39/wordlists/spanish.js";
import { wordlist as traditionalChinese } from "@scure/bip39/wordlists/traditional-chinese.js";
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
    const key = word.normalize("NFKD");
    PLACES.set(key, [...(PLACES.get(key) ?? []), { list, index }]);
  }
}

const LONGEST = Math.max(...[...PLACES.keys()].map((word) => word.length));

/** Where a word stands in the BIP-39 lists. */
export function placesOf(word: string): readonly { list: number; index: number }[] {
  if (word.length > LONGEST) return [];

  return PLACES.get(word) ?? PLACES.get(word.toLowerCase().normalize("NFKD")) ?? [];
}
