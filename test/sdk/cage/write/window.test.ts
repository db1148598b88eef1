import { expect } from "chai";
import { market } from "../../../../deploy/market.ts";
import {
  accountCall,
  applyPolicy,
  CageError,
  Policy,
  type PolicyCageConfig,
  planOnChain,
  sendCall,
} from "../../../../sdk/index.ts";
import { configOf } from "../../support/policy.ts";
import { ether, type Guarded, type Stage, setStage, usdc } from "../../support/stage.ts";

const HOUR = 3_600;
const WEEK = 604_800;

describe("A trade that neither the old policy nor the new one allows", () => {
  let stage: Stage;

  before(async () => {
    stage = await setStage();
  });

  after(() => stage.node.close());

  /** Small trades at prices of last week, or large ones at prices of the last hour. */
  function policyOf(heartbeat: number, perTransactionUsdc: number): PolicyCageConfig {
    const config = configOf(undefined, stage.people.mainWallet.address);

    return {
      ...config,
      assets: config.assets.map((row) => ({
        ...row,
        priceFeed: { ...row.priceFeed, heartbeat: row.asset === market.weth ? heartbeat : row.priceFeed.heartbeat },
      })),
      perTransactionCapUsdc: usdc(perTransactionUsdc),
      perDayCapUsdc: usdc(10 * perTransactionUsdc),
    };
  }

  /** 10 000 USDC for 5 WETH: fair at the price of two hours ago, half of it lost at the price of now. */
  async function robbery(guarded: Guarded): Promise<string> {
    const { people, swap } = stage;
    const call = accountCall(guarded.account, "execute", [[swap(guarded, usdc(10_000), ether(5))]]);
    try {
      await sendCall(people.golem.clients, call);

      return "executed";
    } catch (error) {
      if (error instanceof CageError) return error.code;
      throw error;
    }
  }

  it("is refused at every moment between them", async () => {
    const { people, reader, node, setPrice, start } = stage;
    const [before, after] = [policyOf(WEEK, 100), policyOf(HOUR, 10_000)];
    const next = Policy.fromConfig(after);
    const guarded = await start(before);
    const { cage } = guarded;
    const apply = () => applyPolicy({ reader, cage, next, send: (call) => sendCall(people.owner.clients, call) });

    await apply();
    expect(await robbery(guarded)).to.equal("TransactionCapExceeded");
    // Nobody has reported a price for a day; what caps need has matured, what the feed needs has not.
    await node.travel(24 * HOUR + 60);
    await apply();
    expect(await robbery(guarded)).to.equal("TransactionCapExceeded");
    expect((await planOnChain(reader, cage, next)).steps.map(({ setter }) => setter)).to.deep.equal([
      "setPriceFeed",
      "setSpendingCaps",
    ]);
    // The stricter feed goes first, and needs a price of the last hour. Then the feed falls silent again.
    await node.travel(24 * HOUR);
    await setPrice("ethFeed", "2000");
    await setPrice("usdcFeed", "1");
    await apply();
    expect((await planOnChain(reader, cage, next)).steps).to.deep.equal([]);
    await node.travel(2 * HOUR);
    expect(await robbery(guarded)).to.equal("PriceUnavailable");
  });
});
