import { expect } from "chai";
import { market } from "../../../../deploy/market.ts";
import { NoCageError, readCage } from "../../../../sdk/cage/read/reader.ts";
import { accountCall, cageCall } from "../../../../sdk/cage/write/calls.ts";
import { sendCall } from "../../../../sdk/cage/write/send.ts";
import { ether, type Guarded, type Stage, setStage, usdc } from "../../support/stage.ts";

const HOUR = 3_600n;

describe("reading a cage", () => {
  let stage: Stage;
  let guarded: Guarded;

  before(async () => {
    stage = await setStage();
    guarded = await stage.start();
  });

  after(() => stage.node.close());

  async function buy(amount: number): Promise<void> {
    const trades = [stage.swap(guarded, usdc(amount), ether(amount) / 2_000n)];
    await sendCall(stage.people.golem.clients, accountCall(guarded.account, "execute", [trades]));
  }

  it("answers everything of one block", async () => {
    const { people, reader } = stage;

    const snapshot = await readCage(reader, guarded.cage);

    expect(snapshot).to.deep.include({
      cage: guarded.cage,
      account: guarded.account,
      chainId: 31_337,
      owner: people.owner.address,
      operator: people.operator.address,
      guardian: people.guardian.address,
      constitutionVersion: 1n,
      isHalted: false,
      trippedBps: 0n,
      nav: usdc(100_000),
      highWaterMark: usdc(99_500),
      highWaterMarkNonce: 1n,
      suspended: [],
    });
    expect(snapshot.session).to.deep.include({ id: 1n, key: people.golem.address, isOpen: true });
    expect(snapshot.balances).to.have.deep.members([
      { asset: market.usdc, balance: usdc(90_000) },
      { asset: market.weth, balance: ether(5) },
    ]);
  });

  it("reads the past, not only the present", async () => {
    const { reader, people } = stage;
    const before = await readCage(reader, guarded.cage);
    await sendCall(people.guardian.clients, cageCall(guarded.cage, "emergencyHalt", []));
    await sendCall(people.guardian.clients, cageCall(guarded.cage, "suspendAsset", [market.weth]));

    const now = await readCage(reader, guarded.cage);
    const then = await readCage(reader, guarded.cage, before.block.number);

    expect([now.isHalted, now.suspended]).to.deep.equal([true, [market.weth]]);
    expect(then).to.deep.equal(before);
    await sendCall(people.owner.clients, cageCall(guarded.cage, "resume", []));
    await stage.change(cageCall(guarded.cage, "liftSuspension", [market.weth]));
  });

  it("says which price keeps NAV from being read", async () => {
    const { reader, node } = stage;
    const state = await node.test.snapshot();
    await stage.tell("MockAggregator", market.ethFeed, "setRound", [0n, 1n, 1n]);

    const { nav, navError } = await readCage(reader, guarded.cage);

    expect(nav).to.equal(undefined);
    expect(navError?.code).to.equal("PriceUnavailable");
    expect(navError?.args).to.deep.equal([market.weth]);
    await node.test.revert({ id: state });
  });

  it("foretells when headroom is released, and it is released then", async () => {
    const { reader, node } = stage;
    // A day is over, so that only what follows counts.
    await node.travel(26n * HOUR);
    const amounts = [1_000, 2_500, 300, 4_000];
    for (const amount of amounts) {
      await buy(amount);
      await node.travel(2n * HOUR + 700n);
    }

    const { headroom } = await readCage(reader, guarded.cage);

    expect(headroom.releases.map(({ amountUsdc }) => amountUsdc)).to.deep.equal(amounts.map((amount) => usdc(amount)));
    expect(headroom.dailySpentUsdc).to.equal(usdc(7_800));
    let spent = headroom.dailySpentUsdc;
    for (const { at, amountUsdc } of headroom.releases) {
      await node.test.setNextBlockTimestamp({ timestamp: at - 1n });
      await node.test.mine({ blocks: 1 });
      expect((await readCage(reader, guarded.cage)).headroom.dailySpentUsdc).to.equal(spent);
      await node.test.mine({ blocks: 1 });
      spent -= amountUsdc;
      expect((await readCage(reader, guarded.cage)).headroom.dailySpentUsdc, `released at ${at}`).to.equal(spent);
    }
    expect(spent).to.equal(0n);
  });

  it("adds what one hour spent into one release", async () => {
    const { reader, node } = stage;
    const hour = ((await node.now()) / HOUR + 1n) * HOUR;
    await node.test.setNextBlockTimestamp({ timestamp: hour });
    await buy(1_000);
    await buy(500);

    const { headroom } = await readCage(reader, guarded.cage);

    expect(headroom.releases).to.deep.equal([{ at: hour + 25n * HOUR, amountUsdc: usdc(1_500), rebalances: 2 }]);
  });

  it("does not take anything else for a cage", async () => {
    for (const address of [market.usdc, stage.people.stranger.address, guarded.account]) {
      let error: unknown;
      try {
        await readCage(stage.reader, address);
      } catch (caught) {
        error = caught;
      }
      expect(error, address).to.be.instanceOf(NoCageError);
    }
  });
});
