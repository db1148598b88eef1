import { expect } from "chai";
import type { Address } from "viem";
import { market } from "../../../deploy/market.ts";
import { ReadingDiffersError, readEvaluationState } from "../../../sdk/index.ts";
import { type Guarded, type Stage, setStage } from "../support/stage.ts";

describe("what is read of an account", () => {
  let stage: Stage;
  let guarded: Guarded;

  before(async () => {
    stage = await setStage();
    guarded = await stage.start();
  });

  after(() => stage.node.close());

  it("is refused where a feed answers in other units than when the cage was told of it, and good again afterwards", async () => {
    const { reader, node } = stage;
    const proposal = { account: guarded.account, golem: stage.people.golem.address, trades: [] };
    const read = () => readEvaluationState(reader, { cage: guarded.cage, proposal });
    const codeOf = async (address: Address) => (await reader.getCode({ address })) ?? "0x";
    const before = await read();

    // Its answers stay as they are: what they mean is ten thousand times less.
    const other = await stage.deployMock("MockAggregator.sol", "MockAggregator", [12, 1n]);
    const own = await codeOf(market.ethFeed);
    await node.test.setCode({ address: market.ethFeed, bytecode: await codeOf(other.address) });
    const error = await read().catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(ReadingDiffersError).and.include({ code: "READING_DIFFERS" });
    expect((error as ReadingDiffersError).message).to.match(
      /^The cage values the account at \$100,000\.00, what its tokens and feeds say at \$90,00\d\.\d+\.$/,
    );
    expect((error as ReadingDiffersError).advice).to.match(/owner sets its price feed anew/);

    await node.test.setCode({ address: market.ethFeed, bytecode: own });
    expect((await read()).state.assets).to.deep.equal(before.state.assets);
  });
});
