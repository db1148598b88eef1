import type { Ancestor } from "../../cage/family/ancestors.ts";
import { BPS } from "../../core/units.ts";
import type { Policy } from "../../policy/model/policy.ts";
import { atLeastZero, windowOf } from "./caps.ts";
import type { EvaluationState } from "./state.ts";
import { checksummed, type Violate } from "./violation.ts";

/** What the cages above refuse an execution that opens: `enter` of `CageAnnex`, the nearest first. */
export function checkAncestors(policy: Policy, { ancestors }: EvaluationState, violate: Violate): void {
  // Hashing a constitution takes longer than all the rest.
  if (ancestors.length === 0) return;
  let actual = policy.toConstitution().hash;
  for (const { child, constitutionHash, isHalted, shareBps } of ancestors) {
    if (shareBps === undefined) violate(3, "NotChild", [checksummed(child)]);
    if (isHalted) violate(3, "CageHalted", []);
    if (actual !== constitutionHash) violate(3, "ConstitutionMismatch", [constitutionHash, actual]);
    actual = constitutionHash;
  }
}

type Ended = {
  state: EvaluationState;
  outcome: { spent: bigint; isRepayment: boolean };
  now: bigint;
  violate: Violate;
};

/** What they refuse one that ends: `exit` of `CageAnnex`. A repayment spends nothing and is refused nothing. */
export function checkAncestorsDays({ state, outcome: { spent, isRepayment }, now, violate }: Ended): void {
  let { spent: before } = windowOf(state, now);
  for (const ancestor of state.ancestors) {
    if (!isRepayment && ancestor.trippedBps !== 0n) violate(13, "BreakerTripped", [ancestor.trippedBps]);
    const remaining = remainingOf(ancestor, before);
    if (spent > remaining) violate(13, "SpendingLimitExceeded", [spent, remaining]);
    before = ancestor.dailySpentUsdc;
  }
}

/** What is left of the ancestor's day, and of the share of the cage below, which spent `before` of it. */
function remainingOf({ perDayCapUsdc, dailySpentUsdc, shareBps = 0n }: Ancestor, before: bigint): bigint {
  const day = atLeastZero(perDayCapUsdc - dailySpentUsdc);
  const share = atLeastZero((perDayCapUsdc * shareBps) / BPS - before);

  return day < share ? day : share;
}
