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

type Ended = Exclude<Answer, { kind: "done" }>;

/** What ends a job early, with its answer as the cause: the package's own errors are outside. */
export function ending(answer: Ended): Error {
  return new Error(answer.kind, { cause: answer });
}

/** The answer of what `ending` made; undefined for any other error. */
export function endedBy(error: unknown): Ended | undefined {
  const cause = error instanceof Error ? error.cause : undefined;

  return typeof cause === "object" && cause !== null && "kind" in cause ? (cause as Ended) : undefined;
}
