import { fold, nfkc } from "../../../text/fold.ts";
import { type MappedText, MappedTextBuilder, type Span, through, unchanged } from "../../../text/mapped.ts";
import { joinSpacedLetters } from "./despace.ts";
import { unmaskWords } from "./disguise.ts";
import { decodeRuns, unescapeText } from "./encoded.ts";

/** How often something encoded may hold something encoded before the text is refused as such. */
const MAX_DEPTH = 3;

/**
 * `nested` has no text: it marks an encoded run that lies deeper than MAX_DEPTH and was not opened. `undirected` is text with
 * right-to-left overrides as it is stored, which is how a model reads it, where `folded` is how people see it.
 */
type ViewName =
  | "raw"
  | "nfkc"
  | "folded"
  | "unescaped"
  | "undirected"
  | "base64"
  | "base32"
  | "hex"
  | "rot13"
  | "reversed"
  | "leet"
  | "despaced"
  | "nested";

/** One way to read a text. `source` maps a range of this view back to the raw text. */
export type View = MappedText & {
  readonly name: ViewName;
  /** 0 for the text itself, n for what was found inside n encodings. */
  readonly depth: number;
};

/**
 * The ways to read a text: raw; NFKC; folded (invisible characters gone, look-alikes made Latin), in the order seen and, where
 * overrides make that another one, in the order stored; escapes resolved; and every run that holds text in base64, base32,
 * hexadecimal, ROT13, leet, backwards or spaced letters, up to MAX_DEPTH deep. A view equal to an earlier one is left out. Time and
 * size are linear in the text: each decoding is no longer than its run, and depth is bounded.
 */
export function viewsOf(text: string): readonly View[] {
  const views: View[] = [];
  const raw = unchanged(text);
  views.push({ ...raw, name: "raw", depth: 0 });
  const normalised = nfkc(text);
  if (normalised.text !== text) views.push({ ...normalised, name: "nfkc", depth: 0 });
  look(views, raw, 0);

  return views;
}

function look(views: View[], mapped: MappedText, depth: number): void {
  const { text } = mapped;
  const directed = applyOverrides(text);
  const folded = through(mapped, directed === undefined ? fold(text) : through(directed, fold(directed.text)));
  if (folded.text !== text && folded.text !== views.at(-1)?.text) views.push({ ...folded, name: "folded", depth });
  const shown = unescaped(folded);
  if (shown !== folded) views.push({ ...shown, name: "unescaped", depth });
  const opened = open(views, shown, depth, new Set());
  if (directed === undefined) return;

  const stored = through(mapped, fold(text));
  if (stored.text === folded.text) return;
  views.push({ ...stored, name: "undirected", depth });
  const resolved = unescaped(stored);
  if (resolved !== stored) views.push({ ...resolved, name: "undirected", depth });
  open(views, resolved, depth, opened);
}

/** Escapes resolved, or the very same text where there are none. */
function unescaped(folded: MappedText): MappedText {
  let shown = folded;
  // Twice, for a percent sign that is itself escaped.
  for (let i = 0; i < 2; i += 1) {
    const resolved = unescapeText(shown.text);
    if (resolved.text === shown.text) break;
    shown = through(shown, refold(resolved));
  }

  return shown;
}

/** Looks into every disguised run of the text whose content is not among those opened `earlier`; returns what it opened. */
function open(views: View[], shown: MappedText, depth: number, earlier: ReadonlySet<string>): ReadonlySet<string> {
  const opened = new Set<string>();
  for (const found of [...unmaskWords(shown.text), ...joinSpacedLetters(shown.text), ...decodeRuns(shown.text)]) {
    const key = `${found.name} ${found.text}`;
    if (earlier.has(key)) continue;
    opened.add(key);
    const span = shown.source(found.start, found.end);
    if (depth === MAX_DEPTH) {
      views.push({ name: "nested", depth: depth + 1, ...whole("", span) });
      continue;
    }
    const inner = whole(found.text, span);
    views.push({ ...inner, name: found.name, depth: depth + 1 });
    look(views, inner, depth + 1);
  }

  return opened;
}

/** Text whose every part stands for the same span: a decoded run cannot be mapped letter by letter. */
function whole(text: string, span: Span): MappedText {
  return { text, source: () => span };
}

function refold(mapped: MappedText): MappedText {
  return through(mapped, fold(mapped.text));
}

const OVERRIDE = /\u202e[^\u202c\u2069\n]*/g;

/** Text under a right-to-left override, in the order in which it is read. */
function applyOverrides(text: string): MappedText | undefined {
  if (!text.includes("\u202e")) return undefined;
  const builder = new MappedTextBuilder(text.length);
  let last = 0;
  for (const match of text.matchAll(OVERRIDE)) {
    const start = match.index + 1;
    const end = match.index + match[0].length;
    builder.push(text.slice(last, match.index), last, match.index);
    for (let i = end; i > start; ) {
      const size = i - 2 >= start && (text.codePointAt(i - 2) ?? 0) > 0xffff ? 2 : 1;
      builder.push(text.slice(i - size, i), i - size, i);
      i -= size;
    }
    last = end;
  }
  builder.push(text.slice(last), last, text.length);

  return builder.build();
}
