/** A number with what it measures. `bound`: at most ("below", "within", "up to"), at least ("above"), or exactly. */
export type Quantity = { value: number; unit: string; bound: "atMost" | "atLeast" | "exactly" };

const UNITS: ReadonlyMap<string, { unit: string; factor: number }> = new Map([
  ...units("seconds", 1, "second seconds sec secs"),
  ...units("seconds", 60, "minute minutes min mins"),
  ...units("seconds", 3_600, "hour hours hr hrs"),
  ...units("seconds", 86_400, "day days daily"),
  ...units("seconds", 604_800, "week weeks"),
  ...units("seconds", 2_592_000, "month months"),
  ...units("seconds", 31_536_000, "year years annually"),
  ...units("blocks", 1, "block blocks"),
  ...units("transactions", 1, "transaction transactions"),
  ...units("percent", 1, "% percent pct"),
  ...units("percent", 0.01, "bps bp"),
  ...units("dollars", 1, "$ usd dollar dollars usdc dai usdt"),
  ...units("eth", 1, "eth weth ether"),
  ...units("gwei", 1, "gwei"),
  ...units("decimals", 1, "decimals"),
  ...units("times", 1, "x times fold"),
]);

const NUMBER_WORDS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    one: 1,
    two: 2,
    three: 3,
    four: 4,
    five: 5,
    six: 6,
    seven: 7,
    eight: 8,
    nine: 9,
    ten: 10,
    twelve: 12,
    twenty: 20,
    hundred: 100,
    half: 0.5,
  }),
);
const MULTIPLIERS: ReadonlyMap<string, number> = new Map(
  Object.entries({ thousand: 1e3, k: 1e3, million: 1e6, m: 1e6, billion: 1e9, bn: 1e9 }),
);
const AT_MOST = /^(below|under|within|most|until|maximum|beneath|than-less|less|up)$/;
const AT_LEAST = /^(above|over|least|exceeds?|exceeding|minimum|beyond|more|past)$/;
const LOOK_BACK = 3;

function units(unit: string, factor: number, words: string): [string, { unit: string; factor: number }][] {
  return words.split(" ").map((word) => [word, { unit, factor }]);
}

/** The quantity written at `at`, and how many tokens it takes; undefined where there is none. Tokens are in lower case. */
export function quantityAt(tokens: readonly string[], at: number): { quantity: Quantity; length: number } | undefined {
  const token = tokens[at] ?? "";
  const written = /^\d/.test(token)
    ? Number(token.replaceAll(",", "").replace(/[%x]$/, "").replace(/\.$/, ""))
    : undefined;
  // "one" alone counts nothing: it is as often a pronoun.
  const spelt = written === undefined && UNITS.has(tokens[at + 1] ?? "") ? NUMBER_WORDS.get(token) : undefined;
  let value = written ?? spelt;
  if (value === undefined || !Number.isFinite(value)) return undefined;

  let length = 1;
  const multiplier = MULTIPLIERS.get(tokens[at + length] ?? "");
  if (multiplier !== undefined) {
    value *= multiplier;
    length += 1;
  }
  const attached = token.endsWith("%") ? "%" : token.endsWith("x") ? "x" : undefined;
  const unit = UNITS.get(attached ?? tokens[at + length] ?? "");
  if (unit !== undefined && attached === undefined) length += 1;
  const before = tokens[at - 1] === "$" ? UNITS.get("$") : undefined;
  const found = unit ?? before;

  return {
    quantity: { value: value * (found?.factor ?? 1), unit: found?.unit ?? "", bound: boundOf(tokens, at) },
    length,
  };
}

function boundOf(tokens: readonly string[], at: number): Quantity["bound"] {
  for (let back = 1; back <= LOOK_BACK && at - back >= 0; back += 1) {
    const token = tokens[at - back] ?? "";
    if (AT_MOST.test(token)) return "atMost";
    if (AT_LEAST.test(token)) return "atLeast";
  }

  return "exactly";
}
