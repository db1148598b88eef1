import { type MappedText, MappedTextBuilder, unchanged } from "../mapped.ts";

/**
 * HTML entities, the escapes of JSON and JavaScript strings and those of URLs, the last two also escaped once more, as in JSON within
 * JSON.
 */
const ESCAPE =
  /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos|nbsp|Tab|NewLine|lpar|rpar|colon|comma|period|sol|lbrack|rbrack|commat|num|excl|lowbar|hyphen|dash|ensp|emsp|thinsp|shy|zwj|zwnj|lrm|rlm|NoBreak|ZeroWidthSpace));?|\\{1,8}u\{([0-9a-fA-F]{1,8})\}|\\{1,8}u([0-9a-fA-F]{4})|\\{1,8}x([0-9a-fA-F]{2})|\\{1,8}([nrt"\\/])|((?:%(?:25){0,3}[0-9a-fA-F]{2})+)/y;
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

const START = /[&%\\]/g;
const MOST_BACKSLASHES = 8;

const OF_CHARACTERS = /&(?:#|[A-Za-z]{2})|\\[ux]|%[0-9a-fA-F]{2}/;

/** Whether anything but line ends, tabs and quotes may be escaped in the text. */
export function hasEscapedCharacters(text: string): boolean {
  return OF_CHARACTERS.test(text);
}

/** Resolves HTML entities, URL escapes and the escapes of JSON and JavaScript strings where they stand. */
export function unescapeText(text: string): MappedText {
  START.lastIndex = 0;
  if (!START.test(text)) return unchanged(text);
  const builder = new MappedTextBuilder();
  let last = 0;
  let at = START.lastIndex - 1;
  for (;;) {
    START.lastIndex = at;
    if (!START.test(text)) break;
    const start = START.lastIndex - 1;
    const { piece, end } = controlAt(text, start) ?? escapeAt(text, start);
    at = end;
    if (piece === undefined) continue;
    builder.push(text.slice(last, start), last, start);
    builder.push(piece, start, end);
    last = end;
  }
  if (last === 0) return unchanged(text);
  builder.push(text.slice(last), last, text.length);

  return builder.build();
}

/** What an escape stands for, and where it ends; no piece where there is none. */
type Resolved = { piece: string | undefined; end: number };

/** Line ends, tabs, quotes and backslashes: far the most of all. */
function controlAt(text: string, start: number): Resolved | undefined {
  let end = start;
  while (end < start + MOST_BACKSLASHES && text[end] === "\\") end += 1;
  const piece = end === start ? undefined : CONTROL[text.charAt(end)];

  return piece === undefined ? undefined : { piece, end: end + 1 };
}

function escapeAt(text: string, start: number): Resolved {
  ESCAPE.lastIndex = start;
  const match = ESCAPE.exec(text);
  if (match === null) return { piece: undefined, end: start + 1 };
  const [whole, decimal, hex, entity, braced, unicode, byte, control, url] = match;
  const end = start + whole.length;
  const digits = hex ?? braced ?? unicode ?? byte;
  if (decimal !== undefined) return { piece: character(Number.parseInt(decimal, 10)), end };
  if (digits !== undefined) return { piece: character(Number.parseInt(digits, 16)), end };
  if (entity !== undefined) return { piece: ENTITIES[entity], end };
  if (control !== undefined) return { piece: CONTROL[control], end };
  const bytes = (url ?? "").replace(/%(?:25)*(?=[0-9a-fA-F]{2})/g, "");

  return { piece: UTF8.decode(Buffer.from(bytes, "hex")), end };
}

function character(codePoint: number): string | undefined {
  return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : undefined;
}
