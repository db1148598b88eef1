import { HOUR } from "../../core/units.ts";

/** Hours that a charge counts, its own included: `SlidingWindow` in the contracts. */
const COUNTED_HOURS = 25n;

/** After these seconds nothing of a charge counts, whatever its hour. */
export const COUNTED_SECONDS = COUNTED_HOURS * HOUR;

/** When a charge stops counting, as a cage sees it: 24 to 25 hours later, at the full hour. Seconds. */
export function releaseOf(timestamp: bigint): bigint {
  return (timestamp / HOUR + COUNTED_HOURS) * HOUR;
}

/**
 * What counts of the last 24 hours, by the hour at which it stops counting: a few dozen sums, however many charges there are. Values are
 * micro-USDC, times seconds.
 */
export class SpendingWindow {
  readonly #sums = new Map<bigint, bigint>();

  add(at: bigint, amountUsdc: bigint): void {
    this.#sums.set(at, (this.#sums.get(at) ?? 0n) + amountUsdc);
  }

  spentUsdc(now: bigint): bigint {
    let spent = 0n;
    for (const [at, amountUsdc] of this.#sums) if (at > now) spent += amountUsdc;

    return spent;
  }
}
