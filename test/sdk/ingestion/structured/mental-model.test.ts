import { expect } from "chai";
import seed from "../../../../sdk/ingestion/judge/mental-models.json" with { type: "json" };
import { MentalModelLayer } from "../../../../sdk/ingestion/structured/mental-model.ts";

const layer = new MentalModelLayer();
const voteOn = (content: string, judge = layer) =>
  judge.vote({ id: "c", content, entryType: "causal_link", party: "31337/9", vector: new Float32Array() });

describe("mental models", () => {
  const conflicts = [
    ["Higher volatility always increases LP returns.", "volatility-lp-returns"],
    ["Higher utilisation lowers the borrow rate.", "utilisation-borrow-rate"],
    ["A narrower range reduces impermanent loss.", "v3-narrow-range-fees-risk"],
    ["Stability fees do not influence how much DAI is minted.", "stability-fee-supply"],
    ["A longer TWAP window makes manipulation cheaper.", "twap-window-manipulation-cost"],
  ] as const;
  for (const [content, id] of conflicts) {
    it(`conflicts with ${id}: ${content}`, async () => {
      const vote = await voteOn(content);

      expect(vote).to.include({ layer: "mental_model", vote: "fail" });
      expect(vote.reason).to.include(`"${id}"`);
      expect(vote.score).to.be.within(0.3, 1);
    });
  }

  it("finds the conflict beside true sentences", async () => {
    const [model] = seed;

    expect(await voteOn(`${model?.statement} Higher volatility always increases LP returns.`)).to.include({
      vote: "fail",
    });
  });

  it("agrees with every sentence of the seed file, or says nothing", async () => {
    for (const { statement, consistent } of seed) {
      for (const sentence of [statement, ...consistent]) {
        expect((await voteOn(sentence)).vote, sentence).to.be.oneOf(["pass", "abstain"]);
      }
    }
  });

  it("passes what a model says, and abstains where none speaks of it", async () => {
    expect(await voteOn("Higher utilisation raises the borrow rate.")).to.include({ vote: "pass" });
    expect(await voteOn("The committee met on the second floor and adjourned before lunch.")).to.include({
      vote: "abstain",
    });
    expect(await voteOn("")).to.include({ vote: "abstain" });
  });

  it("takes other models than the seed", async () => {
    const judge = new MentalModelLayer([
      {
        id: "rain",
        statement: "Heavy rain raises the river.",
        subject: ["rain"],
        object: ["river", "river level"],
        relation: "increases",
        consistent: ["When it rains, the river level rises."],
      },
    ]);

    expect(await voteOn("Heavy rain lowers the river.", judge)).to.include({ vote: "fail" });
    expect(await voteOn("Higher utilisation lowers the borrow rate.", judge)).to.include({ vote: "abstain" });
  });
});
