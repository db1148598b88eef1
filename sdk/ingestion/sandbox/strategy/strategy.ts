import { z } from "zod";
import { IngestionError } from "../../errors.ts";

/** The most ticks of the past that an indicator looks at. */
const MAX_WINDOW = 50;
const MAX_RULES = 20;
const MAX_PARTS = 200;
const MAX_DEPTH = 16;
const MAX_NOVEL = 5;
const MAX_CODE_LENGTH = 8_192;

/** A number of each tick; there is none where too little of the past is known, and where a division has no result. */
export type Value =
  | { op: "number"; value: number }
  /** `invested`: the share of all it holds that is not in cash, 0 to 1. */
  | { op: "price" | "invested" }
  /** Of the prices of the last `window` ticks, this one included: `change` is that from the first of them, as a fraction. */
  | { op: "average" | "highest" | "lowest" | "change" | "deviation"; window: number }
  | { op: "add" | "subtract" | "multiply" | "divide"; left: Value; right: Value }
  /** What no operation says: a function of the prices so far, by its name. */
  | { op: "novel"; name: string };

/** Holds, does not, or cannot be told: where a value has no number. */
export type Condition =
  | { op: "above" | "below"; left: Value; right: Value }
  | { op: "all" | "any"; of: readonly Condition[] }
  | { op: "not"; of: Condition };

/** `share`: of the cash, or of what is held; `target`: of all, to be invested then. 0 to 1. */
export type Action = { op: "buy" | "sell" | "target"; share: number } | { op: "hold" };

/**
 * What an entry would have a golem do, in a closed language without loops: at each tick the first rule whose condition holds acts. `novel`:
 * JavaScript functions of an array of prices, oldest first, that give a number.
 */
export type Strategy = {
  version: 1;
  rules: readonly { when: Condition; act: Action }[];
  novel?: Readonly<Record<string, string>> | undefined;
};

const name = z.string().regex(/^[a-z][a-z0-9_]{0,39}$/);
const window = z.int().min(2).max(MAX_WINDOW);
const value: z.ZodType<Value> = z.lazy(() =>
  z.discriminatedUnion("op", [
    z.strictObject({ op: z.literal("number"), value: z.number().min(-1e12).max(1e12) }),
    z.strictObject({ op: z.enum(["price", "invested"]) }),
    z.strictObject({ op: z.enum(["average", "highest", "lowest", "change", "deviation"]), window }),
    z.strictObject({ op: z.enum(["add", "subtract", "multiply", "divide"]), left: value, right: value }),
    z.strictObject({ op: z.literal("novel"), name }),
  ]),
);
const condition: z.ZodType<Condition> = z.lazy(() =>
  z.discriminatedUnion("op", [
    z.strictObject({ op: z.enum(["above", "below"]), left: value, right: value }),
    z.strictObject({ op: z.enum(["all", "any"]), of: z.array(condition).min(1).max(8) }),
    z.strictObject({ op: z.literal("not"), of: condition }),
  ]),
);
const action: z.ZodType<Action> = z.discriminatedUnion("op", [
  z.strictObject({ op: z.enum(["buy", "sell", "target"]), share: z.number().min(0).max(1) }),
  z.strictObject({ op: z.literal("hold") }),
]);
const strategy: z.ZodType<Strategy> = z.strictObject({
  version: z.literal(1),
  rules: z
    .array(z.strictObject({ when: condition, act: action }))
    .min(1)
    .max(MAX_RULES),
  novel: z.record(name, z.string().min(1).max(MAX_CODE_LENGTH)).optional(),
});

const FENCE = "```";
const OPENING = `${FENCE}strategy\n`;

/**
 * The strategy that an entry spells out: all of its text, or one block that begins with a line "```strategy". Undefined where there is
 * none. Throws `STRATEGY_MALFORMED` for one that is no strategy: an operation that is not known, more than one, too much, or too deep.
 */
export function strategyIn(content: string): Strategy | undefined {
  const text = content.trim();
  if (text.startsWith("{")) return parseStrategy(text);
  const begin = text.indexOf(OPENING);
  if (begin < 0) return undefined;
  const end = text.indexOf(FENCE, begin + OPENING.length);
  if (end < 0 || text.includes(OPENING, end)) throw malformed("it is not in one block that begins and ends");

  return parseStrategy(text.slice(begin + OPENING.length, end));
}

/** What an entry says beside the strategy that it spells out; all of it where it says nothing else. */
export function wordsOf(content: string): string {
  const begin = content.indexOf(OPENING);
  const end = content.indexOf(FENCE, begin + OPENING.length);
  const words = begin < 0 || end < 0 ? "" : content.slice(0, begin) + content.slice(end + FENCE.length);

  return words.trim() === "" ? content : words;
}

/**
 * Reads a strategy as JSON. `library`: functions that it may use by name without spelling them out; those it does are filled in. Throws
 * `STRATEGY_MALFORMED`, naming the field.
 */
export function parseStrategy(text: string, library: Readonly<Record<string, string>> = {}): Strategy {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw malformed("it is not JSON");
  }
  expectSmall(given);
  const result = strategy.safeParse(given);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw malformed(`${issue?.path.join(".") || "strategy"}: ${issue?.message ?? "is malformed"}`.slice(0, 200));
  }
  const { novel: own = {} } = result.data;
  const named = novelIn(result.data);
  for (const each of Object.keys(own))
    if (Object.hasOwn(library, each)) throw malformed(`the function ${each} is another's`);
  const taken = Object.entries(library).filter(([each]) => named.has(each));
  const novel = { ...own, ...Object.fromEntries(taken) };
  const known = Object.keys(novel);
  if (known.length > MAX_NOVEL) throw malformed(`it has more than ${MAX_NOVEL} functions`);
  for (const each of named) if (!Object.hasOwn(novel, each)) throw malformed(`there is no function ${each}`);
  for (const each of known) if (!named.has(each)) throw malformed(`nothing asks for its function ${each}`);

  return known.length === 0 ? result.data : { ...result.data, novel };
}

/** Which share of a strategy's conditions and values is said by operations and by functions that `isKnown`, 0 to 1. */
export function coverageOf({ rules }: Strategy, isKnown: (name: string) => boolean): number {
  const parts = partsOf(rules);
  const novel = parts.filter((part) => part.op === "novel" && !isKnown(part.name));

  return (parts.length - novel.length) / parts.length;
}

/** Without recursion: how deep it is, whoever wrote it decides. */
function expectSmall(given: unknown): void {
  const rest = [{ value: given, depth: 0 }];
  let count = 0;
  for (let item = rest.pop(); item !== undefined; item = rest.pop()) {
    if (typeof item.value !== "object" || item.value === null) continue;
    count += 1;
    const { depth } = item;
    if (count > MAX_PARTS || depth > MAX_DEPTH) {
      throw malformed(`it has more than ${MAX_PARTS} parts, or is over ${MAX_DEPTH} deep`);
    }
    for (const part of Object.values(item.value)) rest.push({ value: part, depth: depth + 1 });
  }
}

function novelIn({ rules }: Strategy): Set<string> {
  return new Set(partsOf(rules).flatMap((part) => (part.op === "novel" ? [part.name] : [])));
}

function partsOf(rules: Strategy["rules"]): (Condition | Value)[] {
  const parts: (Condition | Value)[] = [];
  const rest: (Condition | Value)[] = rules.map(({ when }) => when);
  for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
    parts.push(part);
    if ("left" in part) rest.push(part.left, part.right);
    if ("of" in part) rest.push(...(part.op === "not" ? [part.of] : part.of));
  }

  return parts;
}

function malformed(what: string): IngestionError {
  return new IngestionError("STRATEGY_MALFORMED", `The strategy cannot be tried: ${what}.`);
}
