import type { Action, Condition } from "../../../../../sdk/ingestion/sandbox/strategy/strategy.ts";

const ALWAYS: Condition = { op: "above", left: { op: "price" }, right: { op: "number", value: 0 } };

/** One rule as an entry spells it out. */
export function rule(act: Action, when: Condition = ALWAYS): string {
  return JSON.stringify({ version: 1, rules: [{ when, act }] });
}

/** A rule that asks a function of its own at each tick, and does nothing. */
export function programmed(code: string): string {
  const when: Condition = { op: "above", left: { op: "novel", name: "asked" }, right: { op: "number", value: 0 } };

  return JSON.stringify({ version: 1, rules: [{ when, act: { op: "hold" } }], novel: { asked: code } });
}

/** Sells half of what is held, once, when the price has fallen far below its average. */
export const CAUTIOUS = rule(
  { op: "target", share: 0.2 },
  {
    op: "all",
    of: [
      { op: "above", left: { op: "invested" }, right: { op: "number", value: 0.3 } },
      {
        op: "below",
        left: { op: "price" },
        right: { op: "multiply", left: { op: "average", window: 20 }, right: { op: "number", value: 0.9 } },
      },
    ],
  },
);

/** Puts everything into what falls. */
export const RECKLESS = rule(
  { op: "buy", share: 1 },
  { op: "below", left: { op: "change", window: 5 }, right: { op: "number", value: -0.05 } },
);
