import type { PolicyCageConfig } from "../../policy/model/types.ts";
import type { EvaluationState } from "./state.ts";

/** What of the last 24 hours counts at `now`: micro-USDC, and executions. */
export function windowOf({ releases }: EvaluationState, now: bigint): { spent: bigint; count: bigint } {
  const counted = releases.filter(({ at }) => at > now);

  return {
    spent: counted.reduce((sum, { amountUsdc }) => sum + amountUsdc, 0n),
    count: counted.reduce((sum, { rebalances }) => sum + BigInt(rebalances), 0n),
  };
}

/** The caps of a policy that a chain counts down. */
export type Caps = Pick<PolicyCageConfig, "perSessionCapUsdc" | "perDayCapUsdc">;

/** What the caps of the session and of 24 hours leave at `now`, in micro-USDC: of two limits in series the smaller counts. */
export function capsLeft(
  { perSessionCapUsdc, perDayCapUsdc }: Caps,
  state: EvaluationState,
  now: bigint,
): { session: bigint; day: bigint } {
  const { capUsdc, spentUsdc } = state.session;
  const cap = capUsdc < perSessionCapUsdc ? capUsdc : perSessionCapUsdc;

  return { session: atLeastZero(cap - spentUsdc), day: atLeastZero(perDayCapUsdc - windowOf(state, now).spent) };
}

export function atLeastZero(value: bigint): bigint {
  return value > 0n ? value : 0n;
}
