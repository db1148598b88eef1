import { expect } from "chai";
import { auc, percentile, withInterval } from "../../scripts/lib/statistics.ts";

describe("statistics", () => {
  it("give Wilson's interval", () => {
    expect(withInterval(0, 100)).to.equal("0.0 [0.0-3.7]");
    expect(withInterval(50, 100)).to.equal("50.0 [40.4-59.6]");
    expect(withInterval(0, 0)).to.equal("0.0 [0.0-100.0]");
  });

  it("give the share of pairs in order as AUC, ties counted half", () => {
    expect(auc([2, 3], [0, 1])).to.equal(1);
    expect(auc([0, 1], [2, 3])).to.equal(0);
    expect(auc([1, 1], [1, 1])).to.equal(0.5);
    expect(auc([1, 3], [2, 0])).to.equal(0.75);
  });

  it("give percentiles", () => {
    expect(percentile([3, 1, 2], 0)).to.equal(1);
    expect(percentile([3, 1, 2], 0.5)).to.equal(2);
    expect(percentile([3, 1, 2], 1)).to.equal(3);
  });
});
