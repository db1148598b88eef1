const HEX = 1;
const ALPHANUMERIC = 2;
const TOKEN = 4;
const HEADER = 8;

const CLASSES = new Uint8Array(128);
for (const [characters, bits] of [
  ["0123456789abcdefABCDEF", HEX],
  ["0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", ALPHANUMERIC | TOKEN | HEADER],
  ["-_", TOKEN | HEADER],
  [".~", TOKEN],
] as const) {
  for (const character of characters) CLASSES[character.charCodeAt(0)] = (CLASSES[character.charCodeAt(0)] ?? 0) | bits;
}

function is(code: number, bits: number): boolean {
  return code < 128 && ((CLASSES[code] ?? 0) & bits) !== 0;
}

export const isHex = (code: number) => is(code, HEX);
export const isAlphanumeric = (code: number) => is(code, ALPHANUMERIC);
/** Letters, digits and the marks that keys, addresses and tokens have inside. */
export const isTokenCharacter = (code: number) => is(code, TOKEN);
/** What base64url is written with. */
export const isHeaderCharacter = (code: number) => is(code, HEADER);
export const isDigit = (code: number) => code >= 48 && code <= 57;

/** The end of the run of characters that begins at `start`. */
export function endOfRun(text: string, start: number, accepts: (code: number) => boolean): number {
  let end = start;
  while (end < text.length && accepts(text.charCodeAt(end))) end += 1;

  return end;
}
