import { expect } from "chai";
import fc from "fast-check";
import { usdc, worstDailyLoss } from "../../../../sdk/index.ts";
import { tell, toldArbitrary } from "../support/arbitrary-policy.ts";
import { example } from "../support/example.ts";
import { imaginaryAddresses } from "../support/world.ts";

const config = example.build().toPolicyCageConfig();

describe("Worst loss of a day", () => {
  it("is between 1 000 and about 2 000 USDC at the defaults", () => {
    expect(worstDailyLoss(config)).to.deep.equal({
      spendableUsdc: usdc(100_000),
      tradeLossUsdc: usdc(1_000),
      feedDeviationUsdc: usdc(1_000),
      roundingUsdc: usdc("0.24"),
      stolenUsdc: usdc("2000.24"),
      toRecipientsUsdc: usdc(100_000),
      endsAtDrawdownBps: 2_000,
    });
    expect(worstDailyLoss(config, { feedDeviationBps: 0 }).stolenUsdc).to.equal(usdc("1000.24"));
  });

  it("is bounded by what the executions of a day may spend", () => {
    const rare = example.maxRebalancesPerDay(2).build().toPolicyCageConfig();
    const slow = example.minRebalanceInterval(43_200).build().toPolicyCageConfig();
    const once = example.minRebalanceInterval(86_400).build().toPolicyCageConfig();
    const fast = example.minRebalanceInterval(0).maxRebalancesPerDay(255).build().toPolicyCageConfig();

    expect(worstDailyLoss(rare).spendableUsdc).to.equal(usdc(20_000));
    expect(worstDailyLoss(slow).spendableUsdc).to.equal(usdc(20_000));
    expect(worstDailyLoss(once).spendableUsdc).to.equal(usdc(10_000));
    expect(worstDailyLoss(fast).spendableUsdc).to.equal(usdc(100_000));
    expect(worstDailyLoss(fast).roundingUsdc).to.equal(usdc("2.55"));
  });

  it("gives recipients nothing where there are none", () => {
    const closed = example.transferRestriction("none").build().toPolicyCageConfig();

    expect(worstDailyLoss(closed).toRecipientsUsdc).to.equal(0n);
  });

  it("never exceeds the cap, and never falls when a limit is loosened", () => {
    fc.assert(
      fc.property(toldArbitrary(imaginaryAddresses()), (told) => {
        const some = tell(told).build().toPolicyCageConfig();
        const { spendableUsdc, stolenUsdc } = worstDailyLoss(some);
        const looser = worstDailyLoss({ ...some, perDayCapUsdc: some.perDayCapUsdc * 2n, minRebalanceInterval: 0 });

        expect(spendableUsdc <= some.perDayCapUsdc).to.equal(true);
        expect(looser.stolenUsdc >= stolenUsdc).to.equal(true);
      }),
      { numRuns: 100 },
    );
  });
});
