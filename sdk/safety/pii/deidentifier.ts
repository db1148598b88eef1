import type { HexKnowledge } from "./hex.ts";
import { placeholder, placeholdersIn } from "./placeholder.ts";
import { isPiiRule, PII_RULES, type PiiFinding } from "./rules.ts";
import { createPiiScanner, type PiiScanner } from "./scan.ts";
import { RestoreStream } from "./stream.ts";

/** Findings carry rule, place and action, never what was found. */
export type MaskResult =
  | { kind: "masked"; text: string; findings: readonly PiiFinding[] }
  | { kind: "blocked"; findings: readonly PiiFinding[] };

export type Restored = {
  text: string;
  /** Placeholders that this session never gave out: left as they are. */
  unknown: readonly string[];
};

export type PiiDeidentifierOptions = {
  scanner?: PiiScanner;
  /** Addresses of the owner's and the golem's wallets, as 0x and 40 hex digits: text with their keys is always blocked. */
  ownWallets?: readonly string[];
};

/** The label of placeholder-shaped text that was already in the input. */
const LITERAL = "LITERAL";

/**
 * Replaces values by placeholders and puts them back, for one session: placeholders of one session mean nothing in another.
 *
 * For every text `x` that is not blocked, `restore(mask(x).text) === x`: the same value has the same placeholder, another spelling of
 * the same address has a letter after its number, and what looks like a placeholder in the input gets one itself.
 */
export class PiiDeidentifier {
  readonly #scanner: PiiScanner;
  readonly #ownAddresses: ReadonlySet<string>;
  readonly #knownHashes = new Set<string>();
  readonly #placeholders = new Map<string, string>();
  readonly #values = new Map<string, string>();
  readonly #numbers = new Map<string, { number: number; spellings: number }>();
  readonly #counters = new Map<string, number>();

  constructor({ scanner = createPiiScanner(), ownWallets = [] }: PiiDeidentifierOptions = {}) {
    this.#scanner = scanner;
    this.#ownAddresses = new Set(ownWallets.map((wallet) => bareHex(wallet)));
  }

  /** Tells that a 32-byte value came from the chain, such as a transaction hash: it may be mentioned from now on. */
  learnHash(hash: string): void {
    this.#knownHashes.add(bareHex(hash));
  }

  /** What a text would be blocked, masked or warned for. Remembers nothing. */
  scan(text: string): PiiFinding[] {
    const knowledge: HexKnowledge = { ownAddresses: this.#ownAddresses, knownHashes: this.#knownHashes };

    return this.#scanner.scan(text, knowledge);
  }

  /** Masks a text, or refuses it when a rule with action block matched: then nothing is remembered. */
  mask(text: string): MaskResult {
    return this.maskFound(text, this.scan(text));
  }

  /** As {@link mask}, of what {@link scan} or another recogniser, such as one of names, found in the text. */
  maskFound(text: string, found: readonly PiiFinding[]): MaskResult {
    const findings = [...found].sort(byPlace);
    if (findings.some(({ action }) => action === "block")) return { kind: "blocked", findings };

    const literals: MaskSpan[] = [...text.matchAll(placeholdersIn(text))].map((match) => ({
      label: LITERAL,
      start: match.index,
      end: match.index + match[0].length,
    }));
    const masked: MaskSpan[] = findings
      .filter(({ action }) => action === "mask")
      .map(({ rule, start, end }) => ({ rule, label: this.#scanner.labelOf(rule), start, end }));
    const spans = unite([...literals, ...masked].sort(byPlace));
    if (spans.length === 0) return { kind: "masked", text, findings };

    const parts: string[] = [];
    let last = 0;
    for (const { rule, label, start, end } of spans) {
      parts.push(text.slice(last, start), this.#placeholderFor(label, text.slice(start, end), rule));
      last = end;
    }
    parts.push(text.slice(last));

    return { kind: "masked", text: parts.join(""), findings };
  }

  /** Puts the values back, and leaves alone every placeholder that this session did not give out. */
  restore(text: string): string {
    return this.restoreReporting(text).text;
  }

  restoreReporting(text: string): Restored {
    const unknown = new Set<string>();
    const restored = text.replace(placeholdersIn(text), (found) => {
      const value = this.#values.get(found);
      if (value === undefined) unknown.add(found);
      return value ?? found;
    });

    return { text: restored, unknown: [...unknown] };
  }

  /** Puts the values back in every string of a JSON value, names of fields included: the arguments of a tool call. */
  restoreValue<Value>(value: Value): Value;
  restoreValue(value: unknown): unknown {
    return mapStrings(value, (text) => this.restore(text));
  }

  /**
   * Restores a text that comes in pieces.
   * @param encoding "json" when the pieces are JSON source, such as the streamed arguments of a tool call: values are then escaped
   */
  stream(encoding: "text" | "json" = "text"): RestoreStream {
    const lookUp = (found: string) => this.#values.get(found);
    if (encoding === "text") return new RestoreStream(lookUp);

    return new RestoreStream((found) => {
      const value = lookUp(found);
      return value === undefined ? undefined : JSON.stringify(value).slice(1, -1);
    });
  }

  #placeholderFor(label: string, value: string, rule: string | undefined): string {
    const known = this.#placeholders.get(`${label} ${value}`);
    if (known !== undefined) return known;

    const key = `${label} ${canonical(rule, value)}`;
    let entry = this.#numbers.get(key);
    if (entry === undefined) {
      const number = (this.#counters.get(label) ?? 0) + 1;
      this.#counters.set(label, number);
      entry = { number, spellings: 0 };
      this.#numbers.set(key, entry);
    }
    const created = placeholder(label, entry.number, entry.spellings);
    entry.spellings += 1;
    this.#placeholders.set(`${label} ${value}`, created);
    this.#values.set(created, value);

    return created;
  }
}

function bareHex(value: string): string {
  return value.toLowerCase().replace(/^0x/, "");
}

/** The form that all spellings of one value share. */
function canonical(rule: string | undefined, value: string): string {
  if (rule === "WALLET_ADDRESS") return bareHex(value);
  if (rule === undefined || !isPiiRule(rule)) return value;

  return "isCaseless" in PII_RULES[rule] ? value.toLowerCase() : value;
}

type Place = { start: number; end: number };

type MaskSpan = Place & { label: string; rule?: string };

function byPlace(a: Place, b: Place): number {
  return a.start - b.start || b.end - a.end;
}

/** Overlapping spans become one, named after the longest: nothing of any of them is left to read. */
function unite<Span extends Place>(sorted: readonly Span[]): Span[] {
  const united: Span[] = [];
  let longest = 0;
  for (const span of sorted) {
    const last = united.at(-1);
    if (last === undefined || span.start >= last.end) {
      united.push({ ...span });
      longest = span.end - span.start;
      continue;
    }
    const end = Math.max(last.end, span.end);
    if (span.end - span.start > longest) {
      longest = span.end - span.start;
      united[united.length - 1] = { ...span, start: last.start, end };
    } else {
      last.end = end;
    }
  }
  return united;
}

function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (typeof value !== "object" || value === null) return value;

  return Object.fromEntries(Object.entries(value).map(([name, item]) => [change(name), mapStrings(item, change)]));
}
