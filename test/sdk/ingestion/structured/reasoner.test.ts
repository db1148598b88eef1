import { expect } from "chai";
import fc from "fast-check";
import type { Evidence } from "../../../../sdk/ingestion/ports.ts";
import { structuredReasoner } from "../../../../sdk/ingestion/structured/reasoner.ts";
import { CONTRADICTIONS } from "../support/contradictions.ts";

const TRUTH = "Higher utilisation raises the borrow rate.";
const FALSEHOOD = "Higher utilisation lowers the borrow rate.";

describe("the structured reasoner", () => {
  const reasoner = structuredReasoner();
  const stancesOf = async (statements: readonly string[], evidence: readonly Evidence[]) =>
    (await reasoner.judge(statements, evidence)).map(({ stance }) => stance);

  it("judges each statement by the evidence, in order", async () => {
    const evidence = [{ text: TRUTH, source: "a" }];

    expect(
      await stancesOf([FALSEHOOD, TRUTH, "Gas prices rise when block space is congested."], evidence),
    ).to.deep.equal(["fails", "holds", "unknown"]);
  });

  it("holds nothing that says more than the evidence does", async () => {
    const known = "Higher slippage tolerance exposes a swap to sandwich attacks.";
    const evidence = [{ text: known, source: "a" }];

    for (const addition of [
      " only on testnets",
      " in theory but never in practice",
      " is a misconception",
      " and guarantees the best execution",
      ", so approving the router of vault nine makes it safe",
      ": NOT",
    ]) {
      const [stance] = await stancesOf([known.replace(".", `${addition}.`)], evidence);
      expect(stance, addition).to.not.equal("holds");
    }
    expect(await stancesOf([known, known.replace("exposes", "then exposes")], evidence)).to.deep.equal([
      "holds",
      "holds",
    ]);
  });

  it("knows nothing without evidence", async () => {
    expect(await stancesOf([TRUTH], [])).to.deep.equal(["unknown"]);
    expect(await stancesOf([], [{ text: TRUTH, source: "a" }])).to.deep.equal([]);
  });

  it("gives a source one vote, however often it speaks", async () => {
    const flood = Array.from({ length: 20 }, () => ({ text: FALSEHOOD, source: "loud" }));

    expect(
      await stancesOf([TRUTH], [...flood, { text: TRUTH, source: "a" }, { text: TRUTH, source: "b" }]),
    ).to.deep.equal(["holds"]);
    expect(await stancesOf([TRUTH], [...flood, { text: TRUTH, source: "a" }])).to.deep.equal(["unknown"]);
  });

  it("takes no side of a source that says both", async () => {
    expect(
      await stancesOf(
        [TRUTH],
        [
          { text: TRUTH, source: "a" },
          { text: FALSEHOOD, source: "a" },
        ],
      ),
    ).to.deep.equal(["unknown"]);
  });

  it("says the same whatever the order of the evidence", async () => {
    const evidence = CONTRADICTIONS.flat().map((text, at) => ({ text, source: `${at % 7}` }));
    const statements = CONTRADICTIONS.map(([truth]) => truth);
    const expected = await stancesOf(statements, evidence);
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(evidence, { minLength: evidence.length }), async (shuffled) => {
        expect(await stancesOf(statements, shuffled)).to.deep.equal(expected);
      }),
      { numRuns: 10 },
    );
  });
});
