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
