import { type MappedText, MappedTextBuilder, unchanged } from "../mapped.ts";

/**
 * HTML entities, the escapes of JSON and JavaScript strings and those of URLs, the last two also escaped once more, as in JSON within
 * JSON.
 */
const ESCAPE =
  /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos|nbsp|Tab|NewLine|lpar|rpar|colon|comma|period|sol|lbrack|rbrack|commat|num|excl|lowbar|hyphen|dash|ensp|emsp|thinsp|shy|zwj|zwnj|lrm|rlm|NoBreak|ZeroWidthSpace));?|\\{1,8}u\{([0-9a-fA-F]{1,8})\}|\\{1,8}u([0-9a-fA-F]{4})|\\{1,8}x([0-9a-fA-F]{2})|\\{1,8}([nrt"\\/])|((?:%(?:25){0,3}[0-9a-fA-F]{2})+)/g;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  Tab: "\t",
  NewLine: "\n",
  lpar: "(",
  rpar: ")",
  colon: ":",
  comma: ",",
  period: ".",
  sol: "/",
  lbrack: "[",
  rbrack: "]",
  commat: "@",
  num: "#",
  excl: "!",
  lowbar: "_",
  hyphen: "-",
  dash: "-",
  ensp: " ",
  emsp: " ",
  thinsp: " ",
  shy: "",
  zwj: "",
  zwnj: "",
  lrm: "",
  rlm: "",
  NoBreak: "",
  ZeroWidthSpace: "",
};
const CONTROL: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\", "/": "/" };
const UTF8 = new TextDecoder("utf-8");

const OF_CHARACTERS = /&(?:#|[A-Za-z]{2})|\\[ux]|%[0-9a-fA-F]{2}/;

/** Whether anything but line ends, tabs and quotes may be escaped in the text. */
export function hasEscapedCharacters(text: string): boolean {
  return OF_CHARACTERS.test(text);
}

/** Resolves HTML entities, URL escapes and the escapes of JSON and JavaScript strings where they stand. */
export function unescapeText(text: string): MappedText {
  if (!/[&%\\]/.test(text)) return unchanged(text);
  const builder = new MappedTextBuilder();
  let last = 0;
  for (const match of text.matchAll(ESCAPE)) {
    const [whole, decimal, hex, entity, braced, unicode, byte, control, url] = match;
    const digits = hex ?? braced ?? unicode ?? byte;
    let piece: string | undefined;
    if (decimal !== undefined) piece = character(Number.parseInt(decimal, 10));
    else if (digits !== undefined) piece = character(Number.parseInt(digits, 16));
    else if (entity !== undefined) piece = ENTITIES[entity];
    else if (control !== undefined) piece = CONTROL[control];
    else if (url !== undefined) piece = UTF8.decode(Buffer.from(url.replace(/%(?:25)*(?=[0-9a-fA-F]{2})/g, ""), "hex"));
    if (piece === undefined) continue;
    builder.push(text.slice(last, match.index), last, match.index);
    builder.push(piece, match.index, match.index + whole.length);
    last = match.index + whole.length;
  }
  if (last === 0) return unchanged(text);
  builder.push(text.slice(last), last, text.length);

  return builder.build();
}

function character(codePoint: number): string | undefined {
  return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : undefined;
}
