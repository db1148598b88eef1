import { expect } from "chai";
import fc from "fast-check";
import {
  auc,
  clopperPearson,
  incompleteBeta,
  percentile,
  withExactInterval,
  withInterval,
} from "../../scripts/lib/statistics.ts";
import { near } from "../support/near.ts";

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

  // Reference values: quantiles of the binomial distribution summed up exactly.
  for (const [hits, total, low, high] of [
    [0, 59, 0, 0.060609],
    [3, 300, 0.002067, 0.028945],
    [10, 10, 0.691503, 1],
    [0, 1, 0, 0.975],
    [1, 20, 0.001265, 0.248733],
    [50, 100, 0.398321, 0.601679],
    [320, 640, 0.460558, 0.539442],
  ] as const) {
    it(`give the Clopper-Pearson interval of ${hits} of ${total}`, () => {
      const [actualLow, actualHigh] = clopperPearson(hits, total);
      expect(actualLow).to.satisfy(near(low, 1e-6));
      expect(actualHigh).to.satisfy(near(high, 1e-6));
    });
  }

  it("give all of 0 to 1 for no trial, and refuse what is no share", () => {
    expect(clopperPearson(0, 0)).to.deep.equal([0, 1]);
    expect(withExactInterval(0, 0)).to.equal("-");
    expect(withExactInterval(3, 300)).to.equal("1.0 [0.2-2.9]");
    for (const [hits, total] of [
      [2, 1],
      [-1, 3],
      [0.5, 3],
    ] as const) {
      expect(() => clopperPearson(hits, total)).to.throw(RangeError);
    }
  });

  it("bound the share by the binomial tails: at each end 2.5 % are beyond", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.nat(60), (total, drawn) => {
        const hits = Math.min(drawn, total);
        const [low, high] = clopperPearson(hits, total);
        expect(low).to.be.at.most(hits / total);
        expect(high).to.be.at.least(hits / total);
        if (hits > 0) expect(1 - binomial(hits - 1, total, low)).to.satisfy(near(0.025, 1e-9));
        if (hits < total) expect(binomial(hits, total, high)).to.satisfy(near(0.025, 1e-9));
      }),
    );
  });

  it("mirror the incomplete beta function, whose parameters of one are the uniform distribution", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 1, max: 500 }),
        (x, a, b) => {
          expect(incompleteBeta(x, 1, 1)).to.satisfy(near(x, 1e-12));
          expect(incompleteBeta(x, a, b) + incompleteBeta(1 - x, b, a)).to.satisfy(near(1, 1e-9));
        },
      ),
    );
    expect(() => incompleteBeta(2, 1, 1)).to.throw(RangeError);
  });
});

/** The chance of at most `hits` of `total`. */
function binomial(hits: number, total: number, share: number): number {
  let sum = 0;
  let term = (1 - share) ** total;
  for (let k = 0; k <= hits; k += 1) {
    sum += term;
    term *= ((total - k) / (k + 1)) * (share / (1 - share));
  }

  return sum;
}
