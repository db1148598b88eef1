import { expect } from "chai";
import fc from "fast-check";
import { getAddress } from "viem";
import { NATIVE, type Policy, PolicyBuilder, PolicyError, usdc } from "../../../../sdk/index.ts";
import { RULES } from "../../../../sdk/policy/model/rules.ts";
import { violationsOf } from "../../../../sdk/policy/model/violations.ts";

const at = (number: number) => getAddress(`0x${number.toString(16).padStart(40, "0")}`);

const USDC = at(0xa0);
const WETH = at(0xb0);
const DAI = at(0xc0);
const ROUTER = at(0xd0);
const OTHER_ROUTER = at(0xd1);
const FEED = { feed: at(0xe0), heartbeat: 3_600, minAnswer: 1n, maxAnswer: 10n ** 12n };

/** The example of the specification, with what a cage needs beside it. */
const base = new PolicyBuilder()
  .transferRestriction("clade")
  .mainWallet(at(1))
  .cladeWallets([at(3), at(2)])
  .maxConcentrationBps(3000)
  .minCollateralRatioBps(12500)
  .approvedAssets([WETH, USDC, DAI])
  .maxDrawdownBps(1300)
  .maxRebalancesPerDay(24)
  .sanctionOracle(at(4))
  .baseAsset(USDC)
  .wrappedNative(WETH)
  .priceFeed(USDC, FEED)
  .priceFeed(WETH, FEED)
  .priceFeed(DAI, FEED);

function constraintsOf(builder: PolicyBuilder): string[] {
  const result = builder.safeBuild();

  return result.success ? [] : result.violations.map(({ constraint }) => constraint);
}

describe("PolicyBuilder", () => {
  it("builds the example of the specification, with the defaults", () => {
    const config = base.build().toPolicyCageConfig();

    expect(config).to.include({
      hasMainWallet: true,
      mainWallet: at(1),
      maxPositionBps: 2_500,
      maxPositions: 10,
      drawdownThresholdBps: 2_000,
      drawdownWindow: 86_400,
      minRebalanceInterval: 3_600,
      perTransactionCapUsdc: usdc(10_000),
      perSessionCapUsdc: usdc(50_000),
      perDayCapUsdc: usdc(100_000),
      maxTradeLossBps: 100,
      largeTradeValueUsdc: 0n,
      largeTradeDelay: 0,
      allowArbitraryCalldata: false,
      isSanctionsScreeningOn: true,
    });
    expect(config.cladeWallets).to.deep.equal([at(2), at(3)]);
    expect(config.assets.map(({ asset }) => asset)).to.deep.equal([USDC, WETH, DAI]);
  });

  it("takes a threshold of large trades with a delay, or neither", () => {
    const large = base.largeTrades({ valueUsdc: usdc(5_000), delay: 3_600 });

    expect(large.build().toPolicyCageConfig()).to.include({ largeTradeValueUsdc: usdc(5_000), largeTradeDelay: 3_600 });
    expect(PolicyBuilder.from(large.build()).build().toConstitution().hash).to.equal(
      large.build().toConstitution().hash,
    );
    expect(large.build().toConstitution().hash).not.to.equal(base.build().toConstitution().hash);
    expect(constraintsOf(base.largeTrades({ valueUsdc: usdc(5_000), delay: 0 }))).to.deep.equal(["largeTradeDelay"]);
    expect(constraintsOf(base.largeTrades({ valueUsdc: 0n, delay: 1 }))).to.deep.equal(["largeTradeDelay"]);
    expect(constraintsOf(base.largeTrades({ valueUsdc: usdc(1_000_001), delay: 604_801 }))).to.deep.equal([
      "largeTradeValueUsdc",
      "largeTradeDelay",
    ]);
  });

  it("names every constraint that fails, with its value and what is allowed", () => {
    const builder = base
      .maxConcentrationBps(400)
      .minCollateralRatioBps(10_499)
      .maxDrawdownBps(99)
      .perTransactionCapUsdc(usdc(99))
      .approvedAssets([])
      .sanctionOracle(at(0));

    expect(() => builder.build()).to.throw(PolicyError, "maxConcentrationBps: 400 bps; allowed: 500 bps to 10000 bps");
    expect(constraintsOf(builder)).to.include.members([
      "maxConcentrationBps",
      "minCollateralRatioBps",
      "maxDrawdownBps",
      "perTransactionCapUsdc",
      "assets",
      "sanctionOracle",
    ]);
    const result = builder.safeBuild();
    expect(result.success ? [] : result.violations).to.deep.include({
      constraint: "perTransactionCapUsdc",
      value: "99 USDC",
      allowed: "100 USDC to 1000000 USDC",
    });
  });

  it("accepts both ends of every range and nothing beyond", () => {
    const config = base.build().toPolicyCageConfig();
    for (const [field, { min, max }] of Object.entries(RULES)) {
      const isBig = field.endsWith("Usdc");
      // A threshold and a delay come together.
      const both = { largeTradeValueUsdc: 1n, largeTradeDelay: 1 };
      const violated = (value: bigint) =>
        violationsOf({
          ...config,
          ...(field in both && value !== 0n && both),
          [field]: isBig ? value : Number(value),
        }).map(({ constraint }) => constraint);
      // Three assets are listed.
      const low = field === "maxAssetCount" ? 3n : min;

      expect(violated(low), field).to.deep.equal([]);
      expect(violated(max), field).to.deep.equal([]);
      expect(violated(min - 1n), field).to.include(field);
      expect(violated(max + 1n), field).to.include(field);
    }
  });

  it("refuses addresses without a valid checksum, and says which it may be", () => {
    const right = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
    const wrong = right.replace("A0b", "A0B") as typeof right;
    const result = base.sanctionOracle(wrong).safeBuild();

    expect(result.success ? [] : result.violations).to.deep.equal([
      { constraint: "sanctionOracle", value: wrong, allowed: `a checksummed address (is it ${right}?)` },
    ]);
    expect(constraintsOf(base.sanctionOracle(right))).to.deep.equal([]);
  });

  describe("refuses", () => {
    const many = (count: number, from: number) => Array.from({ length: count }, (_, index) => at(from + index));
    const native = base.approvedAssets([USDC, WETH, NATIVE]).priceFeed(NATIVE, FEED);
    const cases: [string, PolicyBuilder, string][] = [
      [
        "a band that ends before it begins",
        base.priceFeed(DAI, { ...FEED, minAnswer: 2n, maxAnswer: 1n }),
        "minAnswer",
      ],
      ["a band that holds zero", base.priceFeed(DAI, { ...FEED, minAnswer: 0n }), "minAnswer"],
      ["a heartbeat of nothing", base.priceFeed(DAI, { ...FEED, heartbeat: 0 }), "heartbeat"],
      ["an asset without a feed", base.approvedAssets([USDC, WETH, DAI, at(0xc1)]), "priceFeed"],
      ["an asset twice", base.approvedAssets([USDC, WETH, WETH]), "assets"],
      ["the base asset as sell-only", base.approvedAssets([WETH]).sellOnlyAssets([USDC]), "isSellOnly"],
      ["the wrapped native token as base asset", base.baseAsset(WETH), "baseAsset"],
      ["native currency as base asset", native.baseAsset(NATIVE), "baseAsset"],
      ["native currency as its own wrapper", base.wrappedNative(NATIVE), "wrappedNative"],
      ["an asset as protocol", base.approvedProtocols([DAI]), "approvedProtocols"],
      ["the wrapper as protocol", base.approvedAssets([USDC]).approvedProtocols([WETH]), "approvedProtocols"],
      ["a protocol twice", base.approvedProtocols([ROUTER, ROUTER]), "approvedProtocols"],
      ["33 protocols", base.approvedProtocols(many(33, 0x1000)), "approvedProtocols"],
      ["the main wallet as clade wallet", base.cladeWallets([at(1)]), "cladeWallets"],
      ["16 clade wallets beside the main wallet", base.cladeWallets(many(16, 0x2000)), "cladeWallets"],
      ["another price for native currency", native.priceFeed(NATIVE, { ...FEED, heartbeat: 1 }), "heartbeat"],
      ["another issuer for native currency", native.priceFeed(NATIVE, { ...FEED, issuer: at(7) }), "issuer"],
      ["more assets than its own limit", base.maxAssetCount(2), "assets"],
      ["a sequencer feed at zero", base.sequencerFeed(at(0)), "sequencerFeed"],
    ];
    for (const [name, builder, constraint] of cases) {
      it(name, () => {
        expect(constraintsOf(builder).some((found) => found.endsWith(constraint))).to.equal(true);
      });
    }

    it("nothing that is just inside", () => {
      expect(constraintsOf(native.priceFeed(NATIVE, { ...FEED, dust: 1n }))).to.deep.equal([]);
      expect(constraintsOf(base.cladeWallets(many(15, 0x2000)))).to.deep.equal([]);
      expect(constraintsOf(base.approvedProtocols(many(32, 0x1000)))).to.deep.equal([]);
      expect(constraintsOf(base.maxAssetCount(3))).to.deep.equal([]);
    });
  });

  it("shares steps without changing what was shared", () => {
    const strict = base.maxPositions(1);

    expect(base.build().toPolicyCageConfig().maxPositions).to.equal(10);
    expect(strict.build().toPolicyCageConfig().maxPositions).to.equal(1);
  });

  it("keeps policies as they were built", () => {
    const config = base.build().toPolicyCageConfig();

    expect(() => Object.assign(config, { maxPositions: 20 })).to.throw(TypeError);
    expect(() => Object.assign(config.assets[0]?.priceFeed ?? {}, { heartbeat: 1 })).to.throw(TypeError);
  });

  it("makes recipients of what the restriction allows", () => {
    const recipients = (policy: Policy) => {
      const { hasMainWallet, mainWallet, cladeWallets } = policy.toPolicyCageConfig();

      return { hasMainWallet, mainWallet, cladeWallets };
    };

    expect(recipients(base.transferRestriction("none").build())).to.deep.equal({
      hasMainWallet: false,
      mainWallet: at(0),
      cladeWallets: [],
    });
    expect(recipients(base.transferRestriction("mainWallet").build())).to.deep.equal({
      hasMainWallet: true,
      mainWallet: at(1),
      cladeWallets: [],
    });
    expect(constraintsOf(base.transferRestriction("everybody" as "none"))).to.deep.equal(["transferRestriction"]);
  });

  it("expands a bare function to every approved protocol, and writes signatures as selectors", () => {
    const signature = "exactInput((bytes path,address recipient,uint256,uint256,uint256) params)";
    const policy = base
      .approvedProtocols([OTHER_ROUTER, ROUTER])
      .strategyWhitelist([
        signature,
        { protocol: ROUTER, function: "0x12345678" },
        { protocol: ROUTER, function: signature },
      ])
      .build();

    expect(policy.toPolicyCageConfig().strategyWhitelist).to.deep.equal([
      { protocol: ROUTER, selector: "0x12345678" },
      { protocol: ROUTER, selector: "0xc04b8d59" },
      { protocol: OTHER_ROUTER, selector: "0xc04b8d59" },
    ]);
  });

  it("refuses functions that give rights away, whichever way they are named", () => {
    const builder = base.approvedProtocols([ROUTER]);

    expect(constraintsOf(builder.strategyWhitelist(["approve(address,uint256)"]))).to.deep.equal(["strategyWhitelist"]);
    expect(constraintsOf(builder.strategyWhitelist(["0x095ea7b3"]))).to.deep.equal(["strategyWhitelist"]);
    expect(constraintsOf(builder.strategyWhitelist(["not a function"]))).to.deep.equal(["strategyWhitelist"]);
  });

  it("refuses functions that open debt, or may hide a call that does, whichever way they are named", () => {
    const builder = base.approvedProtocols([ROUTER]);

    for (const name of [
      "borrow(address,uint256,uint256,uint16,address)",
      "flashLoan(address,address[],uint256[],uint256[],address,bytes,uint16)",
      "aggregate3((address,bool,bytes)[])",
      "batch((address,address,uint256,bytes)[])",
      "0xa415bcad",
    ]) {
      expect(constraintsOf(builder.strategyWhitelist([name])), name).to.deep.equal(["strategyWhitelist"]);
    }
    expect(constraintsOf(builder.strategyWhitelist(["repay(address,uint256,uint256,address)"]))).to.deep.equal([]);
  });

  it("starts from the rules of another policy", () => {
    const policy = base
      .approvedProtocols([ROUTER])
      .strategyWhitelist([{ protocol: ROUTER, function: "0x12345678" }])
      .approvedAssets([USDC, DAI])
      .sellOnlyAssets([WETH, NATIVE])
      .priceFeed(NATIVE, FEED)
      .sequencerFeed(at(9))
      .build();

    const same = PolicyBuilder.from(policy).build();

    expect(same.toPolicyCageConfig()).to.deep.equal(policy.toPolicyCageConfig());
    expect(same.toConstitution().hash).to.equal(policy.toConstitution().hash);
  });

  it("says what is missing when it was told nothing", () => {
    expect(constraintsOf(new PolicyBuilder())).to.include.members(["baseAsset", "wrappedNative", "sanctionOracle"]);
  });

  it("answers with violations, whatever it is passed", () => {
    const step = fc.constantFrom(
      ...Object.getOwnPropertyNames(PolicyBuilder.prototype).filter(
        (name) => !["constructor", "draft", "build", "safeBuild", "priceFeed"].includes(name),
      ),
    );
    fc.assert(
      fc.property(step, fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true }), (name, value) => {
        const builder = base as unknown as Record<string, (argument: unknown) => PolicyBuilder>;
        const result = builder[name]?.call(base, value).safeBuild();

        expect(result).to.have.property("success");
      }),
      { numRuns: 2_000 },
    );
  });
});
