// What goes into the sandbox and comes out of it, as JSON.

import type { Strategy } from "../strategy/strategy.ts";

/** Which limit was met. */
export type Resource =
  | "time"
  | "memory"
  | "stack"
  | "gas"
  | "processes"
  | "network"
  | "files"
  | "clock"
  | "random"
  | "output"
  | "model calls";

export type Job = {
  strategy: Strategy;
  markets: readonly { prices: readonly number[]; lead: number }[];
  limits: { wallMs: number; programBytes: number; programStackBytes: number; gasUsd: number };
};

/** `broken`: a function of its own that fails, or gives no number. */
export type Answer =
  | { kind: "done"; markets: readonly { baselineBps: number; testBps: number; trades: number }[] }
  | { kind: "exceeded"; resource: Resource }
  | { kind: "broken" };
