import { PolicyCageError } from "../../../core/errors.ts";
import { isPlainObject, NotTextError, requireText } from "../../../text/text.ts";
import { plainestOf } from "../../../text/views/views.ts";
import type { HexKnowledge } from "../rules/hex.ts";
import { isPiiRule, PII_RULES, type PiiFinding } from "../rules/rules.ts";
import { createPiiScanner, type PiiScanner } from "../scan.ts";
import { forEachPlaceholder, parsePlaceholder, placeholder, replacePlaceholders } from "./placeholder.ts";
import { RestoreStream } from "./stream.ts";

/** Findings carry rule, place and action, never what was found. */
export type MaskResult =
  | { kind: "masked"; text: string; findings: readonly PiiFinding[] }
  | { kind: "blocked"; findings: readonly PiiFinding[] };

export type Restored = {
  text: string;
  /** Placeholders that this session never gave out, up to a thousand: left as they are. */
  unknown: readonly string[];
};

export type PiiDeidentifierOptions = {
  scanner?: PiiScanner;
  /** Addresses of the owner's and the golem's wallets, as 0x and 40 hex digits: text with their keys is always blocked. */
  ownWallets?: readonly string[];
};

/** A value whose placeholders are not put back. Never carries what is in it. */
export class PiiValueError extends PolicyCageError {
  override readonly name = "PiiValueError";

  constructor(code: "VALUE_TOO_DEEP" | "NAMES_COLLIDE") {
    const said = {
      VALUE_TOO_DEEP: {
        message: `The value nests lists and objects more than ${MAX_NESTING} deep.`,
        advice: "Do not use these arguments; ask the model for flatter ones.",
      },
      NAMES_COLLIDE: {
        message: "Two names of the value are the same once their placeholders are put back.",
        advice: "Do not use these arguments; ask the model for names that differ.",
      },
    };
    super(said[code].message, { code, advice: said[code].advice });
  }
}

/** How deep the lists and objects of a value may nest: far more than arguments do, far less than the stack holds. */
const MAX_NESTING = 200;

/** The label of placeholder-shaped text that was already in the input. */
const LITERAL = "LITERAL";

/** What a session has given placeholders of one label to. Arrays and few maps: a text may have a hundred thousand of them. */
type LabelEntries = {
  placeholders: Map<string, string>;
  /** First spellings, by number; numbers begin with 1. */
  values: string[];
  /** By the form that all spellings of a value share: its number and its last spelling. */
  spellings: Map<string, { number: number; spelling: number }>;
};

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
  readonly #labels = new Map<string, LabelEntries>();
  /** Values of placeholders with letters. */
  readonly #otherSpellings = new Map<string, string>();

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
    requireText(text);
    const findings = [...found].sort(byPlace);
    if (findings.some(({ action }) => action === "block")) return { kind: "blocked", findings };

    let masked = "";
    let last = 0;
    const replace = (label: string, rule: string | undefined, start: number, end: number) => {
      masked += text.slice(last, start) + this.#placeholderFor(label, text.slice(start, end), rule);
      last = end;
    };
    const masks = findings.filter(({ action }) => action === "mask");
    if (masks.length === 0) {
      // They come in order and apart from each other: a hundred thousand of them need no list.
      forEachPlaceholder(text, (start, end) => replace(LITERAL, undefined, start, end));
    } else {
      const spans: MaskSpan[] = masks.map(({ rule, start, end }) => ({
        label: this.#scanner.labelOf(rule),
        rule,
        start,
        end,
      }));
      forEachPlaceholder(text, (start, end) => spans.push({ label: LITERAL, rule: undefined, start, end }));
      for (const { rule, label, start, end } of unite(spans)) replace(label, rule, start, end);
    }

    return { kind: "masked", text: masked + text.slice(last), findings };
  }

  /** Puts the values back, and leaves alone every placeholder that this session did not give out. */
  restore(text: string): string {
    return this.restoreReporting(text).text;
  }

  restoreReporting(text: string): Restored {
    const unknown = new Set<string>();
    const restored = replacePlaceholders(requireText(text), (found) => this.#valueOf(found), unknown);

    return { text: restored, unknown: [...unknown] };
  }

  /**
   * Puts the values back in every string of a JSON value, names of fields included: the arguments of a tool call.
   * @throws PiiValueError when lists and objects nest more than 200 deep, or two names become one; NotTextError for what JSON does not
   * show whole, such as a map
   */
  restoreValue<Value>(value: Value): Value;
  restoreValue(value: unknown): unknown {
    return mapStrings(value, (text) => this.restore(text), new Map());
  }

  /**
   * Restores a text that comes in pieces.
   * @param encoding "json" when the pieces are JSON source, such as the streamed arguments of a tool call: values are then escaped
   */
  stream(encoding: "text" | "json" = "text"): RestoreStream {
    const lookUp = (found: string) => this.#valueOf(found);
    if (encoding === "text") return new RestoreStream(lookUp);

    return new RestoreStream((found) => {
      const value = lookUp(found);

      return value === undefined ? undefined : JSON.stringify(value).slice(1, -1);
    });
  }

  #valueOf(found: string): string | undefined {
    const { label, number, isFirstSpelling } = parsePlaceholder(found);

    return isFirstSpelling ? this.#labels.get(label)?.values[number] : this.#otherSpellings.get(found);
  }

  #placeholderFor(label: string, value: string, rule: string | undefined): string {
    let entry = this.#labels.get(label);
    if (entry === undefined) {
      entry = { placeholders: new Map(), values: [""], spellings: new Map() };
      this.#labels.set(label, entry);
    }
    const known = entry.placeholders.get(value);
    if (known !== undefined) return known;

    const key = canonical(rule, value);
    const other = key === undefined ? undefined : entry.spellings.get(key);
    let created: string;
    if (other === undefined) {
      created = placeholder(label, entry.values.length, 0);
      if (key !== undefined) entry.spellings.set(key, { number: entry.values.length, spelling: 0 });
      entry.values.push(value);
    } else {
      other.spelling += 1;
      created = placeholder(label, other.number, other.spelling);
      this.#otherSpellings.set(created, value);
    }
    entry.placeholders.set(value, created);

    return created;
  }
}

function bareHex(value: string): string {
  return value.toLowerCase().replace(/^0x/, "");
}

/** The form that all spellings of one value share; undefined where a value has but one. */
function canonical(rule: string | undefined, value: string): string | undefined {
  if (rule === undefined || !isPiiRule(rule) || !("isCaseless" in PII_RULES[rule])) return undefined;
  const plain = plainestOf(value);

  return rule === "WALLET_ADDRESS" ? bareHex(plain) : plain.toLowerCase();
}

type Place = { start: number; end: number };

type MaskSpan = Place & { label: string; rule: string | undefined };

function byPlace(a: Place, b: Place): number {
  return a.start - b.start || b.end - a.end;
}

/** By place; overlapping spans become one, named after the longest: nothing of any of them is left to read. */
function unite(spans: MaskSpan[]): MaskSpan[] {
  spans.sort(byPlace);
  const united: MaskSpan[] = [];
  let longest = 0;
  for (const span of spans) {
    const last = united.at(-1);
    const length = span.end - span.start;
    if (last === undefined || span.start >= last.end) {
      united.push(span);
      longest = length;
      continue;
    }
    last.end = Math.max(last.end, span.end);
    if (length > longest) {
      longest = length;
      last.label = span.label;
      last.rule = span.rule;
    }
  }

  return united;
}

/** @param known what became of the lists and objects seen so far: a part that is shared is walked once */
function mapStrings(value: unknown, change: (text: string) => string, known: Map<object, unknown>, depth = 0): unknown {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === MAX_NESTING) throw new PiiValueError("VALUE_TOO_DEEP");
  if (known.has(value)) return known.get(value);
  const changed = mapParts(value, change, (part) => mapStrings(part, change, known, depth + 1));
  known.set(value, changed);

  return changed;
}

function mapParts(value: object, change: (text: string) => string, map: (part: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(map);
  if (!isPlainObject(value)) throw new NotTextError();
  const entries = Object.entries(value).map(([name, part]) => [change(name), map(part)] as const);
  if (new Set(entries.map(([name]) => name)).size < entries.length) throw new PiiValueError("NAMES_COLLIDE");

  return Object.fromEntries(entries);
}
