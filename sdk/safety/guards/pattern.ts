// What is known of a word of a command: its letters, and marks where the shell puts something else.

const mark = (code: number) => String.fromCharCode(code);

/** Any letters without a slash, as `*` stands for; no dot at the start of a name. */
export const MANY = mark(1);
/** Any one letter. */
export const ONE = mark(2);
/** Anything at all: what a variable or a command gives. */
export const UNKNOWN = mark(3);
/** Anything at all, which the shell may split into several words. */
export const SPLIT = mark(4);

const MARKS = [MANY, ONE, UNKNOWN, SPLIT];
/** No name of a file is longer. */
const MAX_NAME = 255;

function isMark(letter: string): boolean {
  return MARKS.includes(letter);
}

/** Whether every letter of the word is known. */
export function isKnown(word: string): boolean {
  return !MARKS.some((each) => word.includes(each));
}

/** Whether a variable or a command gives part of the word. */
export function isOpaque(word: string): boolean {
  return word.includes(UNKNOWN) || word.includes(SPLIT);
}

/** Letters of the word that are known. */
export function knownLetters(word: string): string {
  return isKnown(word) ? word : [...word].filter((letter) => !isMark(letter)).join("");
}

/** The words as the shell reads `*`, `?` and `[` in them where nothing quotes them. */
export function globbed(text: string): string {
  return text.replaceAll("*", MANY).replaceAll("?", ONE).replaceAll("[", UNKNOWN);
}

/** Places in `name` from which on a `*` may stand for nothing, too. */
function spread(places: boolean[], name: string): void {
  for (let at = 0; at < name.length; at += 1) if (places[at] && name[at] === "*") places[at + 1] = true;
}

/** Whether a name in which `*` stands for any letters, and a word with marks, can be the same. Time is the product of both lengths. */
export function canBe(word: string, name: string): boolean {
  if (isKnown(word) && word.length > MAX_NAME) return false;
  if (isKnown(word) && !name.includes("*")) return word === name;

  let places: boolean[] = [true];
  spread(places, name);
  for (let index = 0; index < word.length; index += 1) {
    const letter = word[index] ?? "";
    const next: boolean[] = [];
    for (let at = 0; at <= name.length; at += 1) {
      if (!places[at]) continue;
      const isHiddenStart = index === 0 && at === 0 && name[0] === "." && (letter === MANY || letter === ONE);
      if (letter === UNKNOWN || letter === SPLIT || (letter === MANY && !isHiddenStart)) {
        for (let later = at; later <= name.length; later += 1) next[later] = true;
        break;
      }
      if (letter === MANY) next[at] = true;
      else if (name[at] === "*") next[at] = true;
      else if (at < name.length && !isHiddenStart && (letter === ONE || letter === name[at])) next[at + 1] = true;
    }
    places = next;
    spread(places, name);
    if (!places.includes(true)) return false;
  }

  return places[name.length] === true;
}
