const HIDDEN = /[\0\u200b-\u200d\u2060\ufeff]/g;
const EMOJI_BEFORE = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u;
const EMOJI_AFTER = /^\p{Extended_Pictographic}/u;
/** Scripts that are written with joiners. */
const JOINING_BEFORE =
  /[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Myanmar}\p{Script=Khmer}\p{Script=Mongolian}]$/u;

/**
 * Whether the text has NUL or zero-width characters where no writing needs them. Joiners within emoji and within Arabic, Indic and
 * similar words, and the byte order mark that begins a file, are how such text is written.
 */
export function hasHiddenCharacters(text: string): boolean {
  for (const { index, 0: character } of text.matchAll(HIDDEN)) {
    if (character === "\ufeff" && index === 0) continue;
    if (character === "\u200d" || character === "\u200c") {
      const before = text.slice(Math.max(0, index - 2), index);
      if (EMOJI_BEFORE.test(before) && EMOJI_AFTER.test(text.slice(index + 1, index + 3))) continue;
      if (JOINING_BEFORE.test(before)) continue;
    }
    return true;
  }

  return false;
}

const BASE64_RUN = /[A-Za-z0-9+/_-]{40,}={0,2}/g;

/**
 * Whether the text has a long string in base64. Hex, and so addresses, hashes and keys, paths, and words joined by hyphens or
 * underscores, are none.
 */
export function hasLongBase64(text: string): boolean {
  for (const { 0: run } of text.matchAll(BASE64_RUN)) {
    const sample = run.slice(0, 4096);
    if (/^[0-9a-fA-F]+$/.test(sample) || /0[xX][0-9a-fA-F]{32}/.test(sample)) continue;
    if (!/[a-z]/.test(sample) || !/[A-Z]/.test(sample) || !/[0-9+/=]/.test(sample)) continue;
    if (isWords(sample)) continue;
    if (sample.length >= 80 || isPrintable(Buffer.from(sample, "base64"))) return true;
  }

  return false;
}

/** Paths, identifiers and slugs change case and go on for a word; random letters do not. */
function isWords(run: string): boolean {
  const lowerCase = run.match(/[a-z]{4,}/g)?.join("").length ?? 0;

  return lowerCase > run.length / 2;
}

function isPrintable(bytes: Uint8Array): boolean {
  let printable = 0;
  for (const byte of bytes) if ((byte >= 32 && byte < 127) || byte === 10 || byte === 13 || byte === 9) printable += 1;

  return printable >= bytes.length * 0.9;
}
