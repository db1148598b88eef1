import { CONCEPTS, type ConceptEntry } from "./concepts.ts";

/** A word or phrase of a sentence. `concept` is the idea it stands for; `end` which end of it: 1, its opposite -1, or its absence 0. */
export type Word = {
  /** As written, in lower case; phrases joined by spaces. */
  text: string;
  concept: string;
  end: 1 | 0 | -1;
  weight: number;
  /** A name: written with a capital inside the sentence, as code, or with digits in it. */
  isName: boolean;
};

/** What a word stands for. */
export type Meaning = { concept: string; end: 1 | 0 | -1; weight: number };

const MAX_PHRASE = 4;
const SHORTEST_STEM = 4;
const MAX_REMEMBERED = 20_000;
const SUFFIXES = [
  "ations",
  "ation",
  "ators",
  "ator",
  "ating",
  "ated",
  "ates",
  "ate",
  "ments",
  "ment",
  "nesses",
  "ness",
  "ingly",
  "ings",
  "ing",
  "edly",
  "ies",
  "ied",
  "ers",
  "est",
  "ors",
  "ed",
  "es",
  "er",
  "or",
  "ly",
  "s",
  "y",
  "e",
];

const IRREGULAR: ReadonlyMap<string, string> = new Map(
  Object.entries({
    goes: "go",
    went: "go",
    gone: "go",
    lies: "lie",
    ties: "tie",
    likelier: "likel",
    sent: "send",
    kept: "keep",
    held: "hold",
    lent: "lend",
  }),
);

/** The stem of an English word: crude, but the same for the forms of a word. */
function stem(word: string): string {
  const irregular = IRREGULAR.get(word);
  if (irregular !== undefined) return irregular;

  for (const suffix of SUFFIXES) {
    if (word.endsWith(suffix) && word.length - suffix.length >= SHORTEST_STEM) {
      const rest = word.slice(0, word.length - suffix.length);
      return /(.)\1$/.test(rest) && !/(ss|ll)$/.test(rest) ? rest.slice(0, -1) : rest;
    }
  }

  return word;
}

const PHRASES = new Map<string, Meaning>();
const PREFIXES = new Map<string, Meaning>();
const PHRASE_STARTS = new Set<string>();
const remembered = new Map<string, Meaning>();

for (const entry of CONCEPTS) learn(entry);

function learn({ id, with: forms, against = "", none = "", weight = 1 }: ConceptEntry): void {
  for (const [end, words] of [
    [1, forms],
    [-1, against],
    [0, none],
  ] as const) {
    for (const form of formsOf(words)) {
      const meaning: Meaning = { concept: id, end, weight };
      if (form.endsWith("*")) {
        PREFIXES.set(form.slice(0, -1), meaning);
        continue;
      }
      // Hyphens are read as spaces.
      const phrase = form.replaceAll("-", " ");
      if (!PHRASES.has(phrase)) PHRASES.set(phrase, meaning);
      if (phrase.includes(" ")) PHRASE_STARTS.add(phrase.slice(0, phrase.indexOf(" ")));
    }
  }
}

function formsOf(words: string): string[] {
  return [...words.matchAll(/"([^"]+)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
}

/** What one word means, known or not. */
export function meaningOf(word: string): Meaning {
  const known = remembered.get(word);
  if (known !== undefined) return known;

  const meaning = PHRASES.get(word) ?? byPrefix(word) ?? { concept: stem(word), end: 1 as const, weight: 1 };
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  remembered.set(word, meaning);

  return meaning;
}

/** Whether a word stands for no listed idea. */
export function isUnknown(word: string): boolean {
  return !PHRASES.has(word) && byPrefix(word) === undefined;
}

function byPrefix(word: string): Meaning | undefined {
  for (let length = word.length; length >= 3; length -= 1) {
    const meaning = PREFIXES.get(word.slice(0, length));
    if (meaning !== undefined) return meaning;
  }

  return undefined;
}

/** The longest known phrase that starts at `at`, and how many words it takes. */
export function phraseAt(words: readonly string[], at: number): { meaning: Meaning; length: number } | undefined {
  const first = words[at];
  if (first === undefined || !PHRASE_STARTS.has(first)) return undefined;

  for (let length = Math.min(MAX_PHRASE, words.length - at); length > 1; length -= 1) {
    const meaning = PHRASES.get(words.slice(at, at + length).join(" "));
    if (meaning !== undefined) return { meaning, length };
  }

  return undefined;
}

/** Whether a written token names one thing rather than a kind: `sqrtPriceX96`, `USDC`, `0x12ab`, `v3`. Its position in the sentence matters. */
export function isNamed(token: string, isFirst: boolean): boolean {
  if (/^\d/.test(token) && !/[a-z]/i.test(token)) return false;

  return /[a-z][A-Z]|[a-z]_|_[a-z]|\d/.test(token) || (/^[A-Z]/.test(token) && (!isFirst || /^[A-Z]{2,}$/.test(token)));
}
