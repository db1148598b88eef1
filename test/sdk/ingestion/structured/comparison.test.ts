import { expect } from "chai";
import { claimComparison } from "../../../../sdk/ingestion/structured/comparison.ts";

const TRUE = "Higher utilisation increases the borrow rate.";
const FALSE = "Higher utilisation decreases the borrow rate.";
const OTHER = "A debt ceiling limits the total borrowed against an isolated asset.";

describe("Comparison of claims in a batch", () => {
  const comparison = claimComparison;

  it("finds who contradicts whom, the lower position first", async () => {
    expect(await comparison().contradictions([TRUE, OTHER, FALSE, TRUE])).to.deep.equal([
      [0, 2],
      [2, 3],
    ]);
    expect(await comparison().contradictions([TRUE, TRUE, OTHER])).to.deep.equal([]);
    expect(await comparison().contradictions([])).to.deep.equal([]);
  });

  it("compares nothing that makes too many statements", async () => {
    const many = Array.from({ length: 31 }, (_, index) => `${TRUE.slice(0, -1)} of asset ${index}.`).join(" ");

    expect(await comparison().contradictions([many, FALSE])).to.deep.equal([]);
  });
});
