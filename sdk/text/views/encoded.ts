import type { Span } from "../mapped.ts";

/** Text found inside an encoded run. */
export type Decoded = Span & {
  readonly name: "base64" | "hex" | "base32";
  readonly text: string;
};

const MIN_PRINTABLE = 12;
const BASE64_RUN = /[A-Za-z0-9+/_-]{16,}(?:\r?\n[ \t]*[A-Za-z0-9+/_-]{16,})*={0,2}/g;
const BASE32_RUN = /[A-Z2-7]{24,}={0,6}/g;
const HEX_RUN = /[0-9a-fA-F]{24,}|(?:(?:0x|\\x)?[0-9a-fA-F]{2}[ :,-]{1,2}){11,}(?:0x|\\x)?[0-9a-fA-F]{2}/g;
const PRINTABLE_RUN = /[\p{L}\p{M}\p{N}\p{P}\p{S} \t\r\n]{12,}/gu;
const UTF8 = new TextDecoder("utf-8");

/**
 * Readable text inside runs of base64, base32 and hexadecimal. Bytes that are not text (keys, hashes, calldata) yield nothing; text
 * among such bytes yields the text.
 */
export function decodeRuns(text: string): readonly Decoded[] {
  const found: Decoded[] = [];
  collect(found, text, HEX_RUN, "hex", (run) => Buffer.from(run.replace(/0x|\\x|[^0-9a-fA-F]/g, ""), "hex"));
  collect(found, text, BASE32_RUN, "base32", base32);
  collect(found, text, BASE64_RUN, "base64", (run) => Buffer.from(run.replace(/\s+/g, ""), "base64"));

  return found;
}

function collect(
  found: Decoded[],
  text: string,
  runs: RegExp,
  name: Decoded["name"],
  decode: (run: string) => Uint8Array,
) {
  for (const match of text.matchAll(runs)) {
    const readable = readableText(decode(match[0]));
    if (readable !== undefined)
      found.push({ name, text: readable, start: match.index, end: match.index + match[0].length });
  }
}

function readableText(bytes: Uint8Array): string | undefined {
  const pieces: string[] = [];
  for (const match of UTF8.decode(bytes).matchAll(PRINTABLE_RUN)) {
    // The replacement character is a symbol: it marks bytes that are no text.
    for (const piece of match[0].split("\ufffd")) {
      if (piece.length >= MIN_PRINTABLE && looksLikeWords(piece)) pieces.push(piece);
    }
  }

  return pieces.length === 0 ? undefined : pieces.join("\n");
}

/** Random bytes are printable now and then, but not mostly letters; what is encoded once more is one long word. */
function looksLikeWords(text: string): boolean {
  const letters = text.match(/[\p{L}\p{M}\p{N} ]/gu)?.length ?? 0;

  return letters >= 0.75 * [...text].length;
}

function base32(run: string): Uint8Array {
  const bytes = new Uint8Array(Math.floor((run.length * 5) / 8));
  let bits = 0;
  let value = 0;
  let length = 0;
  for (let i = 0; i < run.length; i += 1) {
    const code = run.charCodeAt(i);
    if (code === 0x3d) break;
    value = ((value << 5) | (code >= 0x41 ? code - 0x41 : code - 0x32 + 26)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length++] = (value >> bits) & 0xff;
  }

  return bytes.subarray(0, length);
}
