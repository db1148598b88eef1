import { expect } from "chai";
import { type Address, type Hex, parseEventLogs, toFunctionSelector, zeroAddress } from "viem";
import { formatAbiItem } from "viem/utils";
import { market } from "../../../../deploy/market.ts";
import { policyCageAbi } from "../../../../sdk/abi/index.ts";
import { readCage } from "../../../../sdk/cage/read/reader.ts";
import { accountCall, type ChainCall, cageCall, submission } from "../../../../sdk/cage/write/calls.ts";
import { highWaterMarkTypedData, nextHighWaterMark, submitHighWaterMark } from "../../../../sdk/cage/write/mark.ts";
import { sendCall } from "../../../../sdk/cage/write/send.ts";
import { configOf } from "../../support/policy.ts";
import { deploySafe } from "../../support/safe.ts";
import { type Guarded, type Stage, setStage, usdc } from "../../support/stage.ts";

const DAY = 86_400;

describe("a cage whose owner is a Safe", () => {
  let stage: Stage;
  let safe: Awaited<ReturnType<typeof deploySafe>>;
  let guarded: Guarded;
  let snapshot: Hex;
  let further: Address;

  before(async () => {
    stage = await setStage();
    const { owner, stranger, mainWallet } = stage.people;
    safe = await deploySafe(stage, [owner, stranger, mainWallet], 2);
    guarded = await stage.deploy({}, { owner: safe.address });
    further = (await stage.deployMock("MockERC20.sol", "MockERC20", ["FUR", 18])).address;
    await stage.mint(guarded.account, usdc(1_000));
    snapshot = await stage.node.test.snapshot();
  });

  beforeEach(async () => {
    await stage.node.test.revert({ id: snapshot });
    snapshot = await stage.node.test.snapshot();
  });

  after(() => stage.node.close());

  const wethFeed = () => {
    const row = configOf().assets.find(({ asset }) => asset === market.weth);
    if (row === undefined) throw new Error("WETH is no asset of the policy.");

    return row.priceFeed;
  };

  /** A change by each timelocked setter, and what has to be done before it. */
  const setters: Record<string, () => Promise<ChainCall> | ChainCall> = {
    whitelistAsset: () => cageCall(guarded.cage, "whitelistAsset", [market.weth, false]),
    removeAsset: () => cageCall(guarded.cage, "removeAsset", [market.weth]),
    setMaxAssetCount: () => cageCall(guarded.cage, "setMaxAssetCount", [5n]),
    setPriceFeed: () => cageCall(guarded.cage, "setPriceFeed", [further, wethFeed()]),
    whitelistProtocol: () => cageCall(guarded.cage, "whitelistProtocol", [further, true]),
    setStrategies: () =>
      cageCall(guarded.cage, "setStrategies", [
        [{ protocol: market.exchange, selector: toFunctionSelector("other()") }],
        true,
      ]),
    setValuer: async () => {
      const lender = await stage.deployMock("MockLender.sol", "MockLender", [market.usdc]);
      const listing = cageCall(guarded.cage, "whitelistProtocol", [lender.address, true]);
      await safe.execute(submission(listing));
      await stage.node.travel(2 * DAY);
      await safe.execute(listing);

      return cageCall(guarded.cage, "setValuer", [lender.address, lender.address]);
    },
    setAllowArbitraryCalldata: () => cageCall(guarded.cage, "setAllowArbitraryCalldata", [true]),
    setRecipients: () => cageCall(guarded.cage, "setRecipients", [false, zeroAddress, [further]]),
    setMaxPositionBps: () => cageCall(guarded.cage, "setMaxPositionBps", [1_000n]),
    setMaxPositions: () => cageCall(guarded.cage, "setMaxPositions", [3n]),
    setMaxConcentrationBps: () => cageCall(guarded.cage, "setMaxConcentrationBps", [2_000n]),
    setMinCollateralRatioBps: () => cageCall(guarded.cage, "setMinCollateralRatioBps", [15_000n]),
    setDrawdownThreshold: () => cageCall(guarded.cage, "setDrawdownThreshold", [1_000n]),
    setSoftDrawdown: () => cageCall(guarded.cage, "setSoftDrawdown", [500n, 3_600n]),
    setRebalanceLimits: () => cageCall(guarded.cage, "setRebalanceLimits", [60n, 12n]),
    setSpendingCaps: () => cageCall(guarded.cage, "setSpendingCaps", [usdc(500), usdc(5_000)]),
    setSessionCap: () => cageCall(guarded.cage, "setSessionCap", [usdc(2_000)]),
    setMaxTradeLossBps: () => cageCall(guarded.cage, "setMaxTradeLossBps", [50n]),
    setLargeTrades: () => cageCall(guarded.cage, "setLargeTrades", [usdc(1_000), 3_600n]),
    setSanctionOracle: () => cageCall(guarded.cage, "setSanctionOracle", [further]),
    setSanctionsScreening: () => cageCall(guarded.cage, "setSanctionsScreening", [false]),
    setOperator: () => cageCall(guarded.cage, "setOperator", [further]),
    setGuardian: () => cageCall(guarded.cage, "setGuardian", [further]),
    liftSuspension: async () => {
      await safe.execute(cageCall(guarded.cage, "suspendAsset", [market.weth]));

      return cageCall(guarded.cage, "liftSuspension", [market.weth]);
    },
  };

  const setterNames = policyCageAbi.flatMap((item) =>
    item.type === "function" && /^(set|whitelist|removeAsset|liftSuspension)/.test(item.name) ? [item.name] : [],
  );

  it("has a test of every timelocked setter", () => {
    expect(Object.keys(setters)).to.have.members([...new Set(setterNames)]);
  });

  for (const [name, make] of Object.entries(setters)) {
    it(`changes its policy by ${name}, submitted and run by the Safe`, async () => {
      const call = await make();

      await safe.execute(submission(call));
      await stage.node.travel(2 * DAY);
      const receipt = await safe.execute(call);

      const [event] = parseEventLogs({ abi: policyCageAbi, eventName: "ConfigurationChanged", logs: receipt.logs });
      const item = policyCageAbi.find((entry) => entry.type === "function" && entry.name === name);
      expect(event?.args.call).to.equal(call.data);
      expect(event?.args.selector).to.equal(item && toFunctionSelector(formatAbiItem(item)));
    });
  }

  it("halts, resumes, opens and closes a session, revokes and withdraws by the Safe", async () => {
    const { golem, owner } = stage.people;
    const read = () => readCage(stage.reader, guarded.cage);
    await safe.execute(cageCall(guarded.cage, "emergencyHalt", []));
    expect((await read()).isHalted).to.equal(true);
    await safe.execute(cageCall(guarded.cage, "resume", []));
    expect((await read()).isHalted).to.equal(false);
    await safe.execute(cageCall(guarded.cage, "openSession", [golem.address, usdc(1_000), 2n ** 39n]));
    expect((await read()).session).to.include({ key: golem.address, isOpen: true });
    await safe.execute(cageCall(guarded.cage, "closeSession", []));
    expect((await read()).session.isOpen).to.equal(false);
    const call = cageCall(guarded.cage, "setMaxPositions", [3n]);
    await safe.execute(submission(call));
    await safe.execute(cageCall(guarded.cage, "revoke", [call.data]));
    await safe.execute(accountCall(guarded.account, "withdraw", [market.usdc, usdc(400), owner.address]));
    expect((await read()).nav).to.equal(usdc(600));
  });

  it("raises the high-water mark by the Safe's ERC-1271 signature", async () => {
    const { reader, people } = stage;
    const mark = await nextHighWaterMark({ reader, cage: guarded.cage });
    const signature = await safe.signTypedData(highWaterMarkTypedData(31_337, guarded.cage, mark));

    await submitHighWaterMark(people.golem.clients, { cage: guarded.cage, chainId: 31_337, mark, signature });

    expect((await readCage(reader, guarded.cage)).highWaterMark).to.equal(usdc(995));
  });

  it("does not raise it by one owner's signature of two", async () => {
    const { reader, people } = stage;
    const mark = await nextHighWaterMark({ reader, cage: guarded.cage });
    const typedData = highWaterMarkTypedData(31_337, guarded.cage, mark);
    const signature = await people.owner.account.signTypedData(typedData);
    let error: unknown;
    try {
      await submitHighWaterMark(people.golem.clients, { cage: guarded.cage, chainId: 31_337, mark, signature });
    } catch (caught) {
      error = caught;
    }

    expect(error).to.have.property("code", "HighWaterMarkNotAuthorized");
  });

  it("does not obey a single owner of the Safe", async () => {
    let error: unknown;
    try {
      await sendCall(stage.people.owner.clients, cageCall(guarded.cage, "resume", []));
    } catch (caught) {
      error = caught;
    }

    expect(error).to.have.property("code", "OwnableUnauthorizedAccount");
  });
});
