import { expect } from "chai";
import { type Ancestor, type EvaluationState, evaluate, Policy, usdc } from "../../../sdk/index.ts";
import { at, balancesAfter, configOf, NOW, stateOf, swap } from "./support/example.ts";

const policy = Policy.fromConfig(configOf());
const { hash } = policy.toConstitution();
const other = `0x${"ab".repeat(32)}` as const;

/** A cage above with a quarter of a day of 100 000 USDC for the one below. */
function above(changes: Partial<Ancestor> = {}): Ancestor {
  return {
    cage: at.stranger,
    child: at.mainWallet,
    constitutionHash: hash,
    isHalted: false,
    trippedBps: 0n,
    dailySpentUsdc: 0n,
    perDayCapUsdc: usdc(100_000),
    shareBps: 2_500n,
    ...changes,
  };
}

/** What is said of a swap of 5 000 USDC. */
function said(ancestors: readonly Ancestor[], changes: Partial<EvaluationState> = {}) {
  const spent = usdc(5_000);
  const { violations, isAllowed } = evaluate({
    policy,
    state: stateOf({ ancestors, ...changes }),
    proposal: { account: at.account, golem: at.golem, trades: [swap(spent)] },
    effects: { balances: balancesAfter(spent) },
    now: NOW,
  });
  expect(isAllowed).to.equal(violations.length === 0);

  return violations.map(({ code, args }) => ({ code, args }));
}

describe("an execution of a cage with a parent", () => {
  it("is allowed inside the days above", () => {
    expect(said([above(), above({ dailySpentUsdc: usdc(95_000), shareBps: 10_000n })])).to.deep.equal([]);
  });

  for (const [why, changes, code, args] of [
    ["the parent is halted", { isHalted: true }, "CageHalted", []],
    ["it is no child any more", { shareBps: undefined, dailySpentUsdc: 0n }, "NotChild", [at.mainWallet]],
    ["the constitutions differ", { constitutionHash: other }, "ConstitutionMismatch", [other, hash]],
    ["the parent tripped", { trippedBps: 2_100n }, "BreakerTripped", [2_100n]],
    ["the day is spent", { dailySpentUsdc: usdc(96_000) }, "SpendingLimitExceeded", [usdc(5_000), usdc(4_000)]],
    ["the share is less", { shareBps: 400n }, "SpendingLimitExceeded", [usdc(5_000), usdc(4_000)]],
  ] as const) {
    it(`is refused where ${why}`, () => {
      expect(said([above(changes)])[0]).to.deep.equal({ code, args });
      // However far above.
      expect(said([above(), above(changes)])[0]?.code).to.equal(code);
    });
  }

  it("is measured by what the cage itself has spent of its share", () => {
    const releases = [{ at: NOW + 3_600n, amountUsdc: usdc(21_000), rebalances: 3 }];

    expect(said([above()], { releases })).to.deep.equal([
      { code: "SpendingLimitExceeded", args: [usdc(5_000), usdc(4_000)] },
    ]);
  });

  it("is measured by what the parent has spent of the share of the cage above it", () => {
    const ancestors = [above({ dailySpentUsdc: usdc(21_000) }), above()];

    expect(said(ancestors)).to.deep.equal([{ code: "SpendingLimitExceeded", args: [usdc(5_000), usdc(4_000)] }]);
  });
});
