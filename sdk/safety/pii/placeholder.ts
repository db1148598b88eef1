/**
 * A placeholder: a label in capitals, a number, and a letter from the second spelling of the same value on. Bounded, so that a stream
 * has to hold back no more than {@link LONGEST_PLACEHOLDER} characters.
 */
const BODY = "[A-Z][A-Z0-9_]{0,23}_[1-9][0-9]{0,8}[a-z]{0,4}";

/** `[` + 24 of the label + `_` + 9 digits + 4 letters + `]`. */
export const LONGEST_PLACEHOLDER = 40;

/** Everything in a text that has the form of a placeholder. */
export function placeholdersIn(text: string): RegExp {
  return text.includes("[") ? new RegExp(`\\[${BODY}\\]`, "g") : /(?!)/g;
}

/** Where the unfinished placeholder at the end of a text begins; the length of the text when there is none. */
export function startOfUnfinished(text: string): number {
  const open = text.lastIndexOf("[");
  if (open < 0 || text.length - open >= LONGEST_PLACEHOLDER) return text.length;

  return /^\[(?:[A-Z][A-Z0-9_]*[a-z]{0,4})?$/.test(text.slice(open)) ? open : text.length;
}

/** `[WALLET_1]`, `[WALLET_1b]` for its second spelling, then c to z, aa, ab. */
export function placeholder(label: string, number: number, spelling: number): string {
  let letters = "";
  for (let rest = spelling === 0 ? 0 : spelling + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(97 + ((rest - 1) % 26)) + letters;
  }

  return `[${label}_${number}${letters}]`;
}
