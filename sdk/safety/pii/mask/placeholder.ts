/**
 * A placeholder: a label in capitals, a number, and a letter from the second spelling of the same value on. Bounded, so that a stream
 * has to hold back no more than {@link LONGEST_PLACEHOLDER} characters.
 */
const BODY = "[A-Z][A-Z0-9_]{0,23}_[1-9][0-9]{0,8}[a-z]{0,4}";

/** `[` + 24 of the label + `_` + 9 digits + 4 letters + `]`. */
export const LONGEST_PLACEHOLDER = 40;

const PLACEHOLDER = new RegExp(`\\[${BODY}\\]`, "y");

/**
 * Calls back with everything in a text that has the form of a placeholder, from left to right.
 * Not `matchAll`: a text of nothing else would make a match array for each.
 */
export function forEachPlaceholder(text: string, call: (start: number, end: number) => void): void {
  for (let open = text.indexOf("["); open >= 0; ) {
    PLACEHOLDER.lastIndex = open;
    const isFound = PLACEHOLDER.test(text);
    const end = isFound ? PLACEHOLDER.lastIndex : open + 1;
    if (isFound) call(open, end);
    open = text.indexOf("[", end);
  }
}

/** Different placeholders without a value that are kept for the report: a model may make up any number. */
const MOST_UNKNOWN = 1000;

/**
 * The text with the values of its placeholders.
 * @param unknown takes up placeholders without a value, which stay as they are
 */
export function replacePlaceholders(
  text: string,
  lookUp: (placeholder: string) => string | undefined,
  unknown: Set<string>,
): string {
  const parts: string[] = [];
  let last = 0;
  forEachPlaceholder(text, (start, end) => {
    const found = text.slice(start, end);
    const value = lookUp(found);
    if (value === undefined) {
      if (unknown.size < MOST_UNKNOWN) unknown.add(found);
      return;
    }
    parts.push(text.slice(last, start), value);
    last = end;
  });
  if (last === 0) return text;
  parts.push(text.slice(last));

  return parts.join("");
}

/** Where the unfinished placeholder at the end of a text begins; the length of the text when there is none. */
export function startOfUnfinished(text: string): number {
  const open = text.lastIndexOf("[");
  if (open < 0 || text.length - open >= LONGEST_PLACEHOLDER) return text.length;

  return /^\[(?:[A-Z][A-Z0-9_]*[a-z]{0,4})?$/.test(text.slice(open)) ? open : text.length;
}

/** `[WALLET_1]`, `[WALLET_1b]` for its second spelling, then c to z, aa, ab. */
export function placeholder(label: string, number: number, spelling: number): string {
  return spelling === 0 ? `[${label}_${number}]` : `[${label}_${number}${letters(spelling + 1)}]`;
}

/** 1 is a, 26 is z, 27 is aa. */
function letters(count: number): string {
  let result = "";
  for (let rest = count; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    result = String.fromCharCode(97 + ((rest - 1) % 26)) + result;
  }

  return result;
}

/** The parts of a text that has the form of a placeholder. */
export function parsePlaceholder(found: string): { label: string; number: number; isFirstSpelling: boolean } {
  const underscore = found.lastIndexOf("_");

  return {
    label: found.slice(1, underscore),
    number: Number.parseInt(found.slice(underscore + 1, -1), 10),
    isFirstSpelling: found.charCodeAt(found.length - 2) <= 57,
  };
}
