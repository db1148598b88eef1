import { expect } from "chai";
import { toFunctionSelector } from "viem";
import { market } from "../../../../deploy/market.ts";
import { type PolicyCageConfig, usdc, warningsOf } from "../../../../sdk/index.ts";
import { configOf } from "../../support/policy.ts";

describe("what an owner is warned of", () => {
  const assets = configOf().assets.map((row) => ({
    ...row,
    priceFeed: { ...row.priceFeed, heartbeat: 3_600, maxAnswer: row.priceFeed.minAnswer * 4n },
  }));
  const config: PolicyCageConfig = { ...configOf(), minRebalanceInterval: 3_600, assets };
  const withPair = (signature: string): PolicyCageConfig => ({
    ...config,
    strategyWhitelist: [{ protocol: market.exchange, selector: toFunctionSelector(signature) }],
  });

  it("is nothing about a pair that swaps", () => {
    expect(
      warningsOf(withPair("exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))")),
    ).to.deep.equal([]);
  });

  for (const signature of [
    "withdraw(address,uint256,address)",
    "withdraw(bytes32)",
    "redeem(uint256,address,address)",
    "collect((uint256,address,uint128,uint128))",
    "modifyLiquidities(bytes,uint256)",
    "exitPool(bytes32,address,address,(address[],uint256[],bytes,bool))",
    "remove_liquidity_one_coin(uint256,int128,uint256)",
  ]) {
    it(`is ${signature}, which takes out of a position, and its receipt token as the remedy`, () => {
      const [warning, ...others] = warningsOf(withPair(signature));

      expect(warning).to.contain(signature).and.to.contain(market.exchange).and.to.contain("receipt token is listed");
      expect(others).to.deep.equal([]);
    });
  }

  it("is a withdrawal that borrows at some lenders, beside what it is elsewhere, without a remedy by listing", () => {
    const [position, debt, ...others] = warningsOf(withPair("withdraw(address,uint256)"));

    expect(position).to.contain("takes out of a position");
    expect(debt).to.contain("Compound 3").and.to.contain("no listed asset helps");
    expect(others).to.deep.equal([]);
  });

  it("is debt, where every function of a protocol may be called", () => {
    const [warning] = warningsOf({ ...config, strategyWhitelist: [], allowArbitraryCalldata: true });

    expect(warning).to.contain("open debt").and.to.contain("Approve no protocol that lends");
  });

  it("is a golem that makes a day's executions in one transaction", () => {
    const [warning] = warningsOf({ ...config, minRebalanceInterval: 0 });

    expect(warning).to.contain("in one transaction");
  });

  it("is a price band that spans more than a factor of four", () => {
    const wide = assets.map((row) => ({
      ...row,
      priceFeed: { ...row.priceFeed, maxAnswer: row.priceFeed.maxAnswer + 1n },
    }));
    const warnings = warningsOf({ ...config, assets: wide });

    expect(warnings).to.have.length(wide.length);
    expect(warnings[0]).to.contain("a factor of 5");
  });

  it("is a contract that runs any call", () => {
    expect(warningsOf(withPair("execute(bytes,bytes[],uint256)"))).to.have.length(1);
  });

  it("is a cap that never binds, since another does", () => {
    const caps = {
      ...config,
      perTransactionCapUsdc: usdc(3_000),
      perSessionCapUsdc: usdc(5_000),
      perDayCapUsdc: usdc(2_000),
    };
    const [transaction, session, ...others] = warningsOf(caps);

    expect(transaction).to.contain("one execution may spend more than a day");
    expect(session).to.contain("a session may spend more than a day");
    expect(others).to.deep.equal([]);
  });
});
