import { type MappedText, MappedTextBuilder, unchanged } from "../mapped.ts";

/**
 * HTML entities, the escapes of JSON and JavaScript strings, those of URLs, bytes in octal and entities by name that stand for a letter;
 * all but entities also escaped once more, as in JSON within JSON.
 */
const ESCAPE =
  /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos|nbsp|Tab|NewLine|lpar|rpar|colon|comma|period|sol|lbrack|rbrack|commat|num|excl|lowbar|hyphen|dash|ensp|emsp|thinsp|shy|zwj|zwnj|lrm|rlm|NoBreak|ZeroWidthSpace));?|\\{1,8}u\{([0-9a-fA-F]{1,8})\}|\\{1,8}u([0-9a-fA-F]{4})|\\{1,8}x([0-9a-fA-F]{2})|\\{1,8}([nrt"\\/])|((?:%(?:25){0,3}[0-9a-fA-F]{2})+)|((?:\\{1,8}(?:[0-3][0-7]{2}|[4-7][0-7]))+)|&([a-zA-Z]{2,12});/y;
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
/** Names that begin with a letter and end with the mark on it, or with the typeface it is set in. */
const LETTER_ENTITY =
  /^([A-Za-z])(?:acute|grave|circ|uml|tilde|cedil|caron|ring|breve|macr|ogon|dot|slash|strok|dblac|opf|fr|scr)$/;
/** Names of signs, of ligatures and of letters that look like Latin ones. */
const NAMED: ReadonlyMap<string, string> = new Map(
  (
    "semi ; quest ? equals = plus + ast * midast * percnt % dollar $ bsol \\ verbar | vert | grave ` Hat ^ lcub { rcub } lsqb [ rsqb ] " +
    "hellip … mldr … mdash — ndash – ldquo “ rdquo ” lsquo ‘ rsquo ’ bull • middot · laquo « raquo » szlig ß aelig æ AElig Æ oelig œ " +
    "OElig Œ eth ð ETH Ð thorn þ THORN Þ filig fi fllig fl fflig ff ffilig ffi ffllig ffl fjlig fj imath i inodot i jmath j acy а vcy в " +
    "iecy е kcy к mcy м ncy н ocy о rcy р scy с tcy т ucy у khcy х iocy ё iukcy і yicy ї jsercy ј dscy ѕ Acy А Vcy В IEcy Е Kcy К Mcy М " +
    "Ncy Н Ocy О Rcy Р Scy С Tcy Т Ucy У KHcy Х Iukcy І Jsercy Ј DScy Ѕ alpha α Alpha Α beta β Beta Β epsilon ε Epsilon Ε zeta ζ Zeta Ζ " +
    "eta η Eta Η iota ι Iota Ι kappa κ Kappa Κ mu μ Mu Μ nu ν Nu Ν omicron ο Omicron Ο rho ρ Rho Ρ tau τ Tau Τ upsilon υ Upsilon Υ chi χ " +
    "Chi Χ gamma γ"
  )
    .split(" ")
    .flatMap((name, index, all) => (index % 2 === 0 ? [[name, all[index + 1] ?? ""] as const] : [])),
);
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
  const [whole, decimal, hex, entity, braced, unicode, byte, control, url, octal, name] = match;
  const end = start + whole.length;
  const digits = hex ?? braced ?? unicode ?? byte;
  if (decimal !== undefined) return { piece: character(Number.parseInt(decimal, 10)), end };
  if (digits !== undefined) return { piece: character(Number.parseInt(digits, 16)), end };
  if (entity !== undefined) return { piece: ENTITIES[entity], end };
  if (control !== undefined) return { piece: CONTROL[control], end };
  if (name !== undefined) return { piece: LETTER_ENTITY.exec(name)?.[1] ?? NAMED.get(name), end };
  if (octal !== undefined) return { piece: octalText(octal), end };
  const bytes = (url ?? "").replace(/%(?:25)*(?=[0-9a-fA-F]{2})/g, "");

  return { piece: UTF8.decode(Buffer.from(bytes, "hex")), end };
}

/** The text of bytes in octal; of bytes that are none, such as a part of a path, nothing. */
function octalText(escapes: string): string | undefined {
  const text = UTF8.decode(Uint8Array.from(escapes.split(/\\+/).slice(1), (digits) => Number.parseInt(digits, 8)));

  return text.includes("\ufffd") ? undefined : text;
}

function character(codePoint: number): string | undefined {
  return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : undefined;
}
