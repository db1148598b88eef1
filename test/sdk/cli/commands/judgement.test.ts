import { expect } from "chai";
import { toFunctionSelector } from "viem";
import { market } from "../../../../deploy/market.ts";
import { warningsOf } from "../../../../sdk/cli/commands/policy/judgement.ts";
import { configOf } from "../../support/policy.ts";

describe("what check warns of", () => {
  const config = configOf();
  const withPair = (signature: string) => ({
    ...config,
    assets: config.assets.map((row) => ({ ...row, priceFeed: { ...row.priceFeed, heartbeat: 3_600 } })),
    strategyWhitelist: [{ protocol: market.exchange, selector: toFunctionSelector(signature) }],
  });

  it("is nothing about a pair that swaps", () => {
    expect(
      warningsOf(withPair("exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))")),
    ).to.deep.equal([]);
  });

  for (const signature of [
    "borrow(address,uint256,uint256,uint16,address)",
    "redeem(uint256,address,address)",
    "collect((uint256,address,uint128,uint128))",
  ]) {
    it(`is ${signature}, which brings in what is not measured`, () => {
      const [warning, ...others] = warningsOf(withPair(signature));

      expect(warning).to.contain(signature).and.to.contain(market.exchange).and.to.contain("outside every cap");
      expect(others).to.deep.equal([]);
    });
  }

  it("is a contract that runs any call", () => {
    expect(warningsOf(withPair("execute(bytes,bytes[],uint256)"))).to.have.length(1);
  });
});
