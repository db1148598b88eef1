import { BPS } from "../../core/units.ts";

/** Share of the high-water mark that is missing in NAV, in bps, rounded up as the cage does. `mark` is above zero where NAV is below it. */
export function drawdownBps(nav: bigint, mark: bigint): bigint {
  return nav >= mark ? 0n : ((mark - nav) * BPS + mark - 1n) / mark;
}
