import {
  type Address,
  type ContractConstructorArgs,
  concatHex,
  type Hex,
  type PrivateKeyAccount,
  toFunctionSelector,
  zeroAddress,
} from "viem";
import type { AbiOf } from "./artifacts.ts";
import { by, type ContractOf, person } from "./chain.ts";
import { ASSETS, type Balances, bitcoin, ether, type Feed, NATIVE, PRICES, usdc, type World } from "./world.ts";

export type PolicyCageConfig = ContractConstructorArgs<AbiOf<"PolicyCage">>[0];

type AssetConfig = PolicyCageConfig["assets"][number];

type Strategy = PolicyCageConfig["strategyWhitelist"][number];

export type Guarded = { cage: ContractOf<"PolicyCage">; account: ContractOf<"CagedAccount"> };

const FOREVER = 2n ** 40n - 1n;

/** 700 000 of USDC, 80 000 of WETH, 100 000 of WBTC and 20 000 of native currency: 900 000 USDC. */
const HOLDINGS: Balances = { usdc: usdc(700_000), weth: ether(40), wbtc: bitcoin(2), native: ether(10) };

/** The order of every list of a policy. */
function ascending<Item>(list: readonly Item[], keyOf: (item: Item) => bigint): Item[] {
  return [...list].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

export function assetOf(asset: Address, feed: Feed, price: bigint, dust: bigint): AssetConfig {
  const answer = price * 10n ** 8n;

  return {
    asset,
    isSellOnly: false,
    priceFeed: {
      feed: feed.proxy.address,
      heartbeat: 3_600,
      minAnswer: answer / 100n,
      maxAnswer: answer * 100n,
      dust,
      issuer: zeroAddress,
    },
  };
}

function strategiesOf(protocol: Address, signatures: readonly string[]): Strategy[] {
  return signatures.map((signature) => ({ protocol, selector: toFunctionSelector(signature) }));
}

const ROUTER_FUNCTIONS = [
  "exactInputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))",
  "exactInput((bytes,address,uint256,uint256,uint256))",
  "unwrapWETH9(uint256,address)",
];

/** The default policy: USDC, WETH, WBTC and native currency, traded on Uniswap V3 by three functions of its router. */
export function defaultPolicy({ tokens, feeds, uniswap, people, sanctions }: World): PolicyCageConfig {
  const limits = {
    assets: [],
    maxAssetCount: 10,
    approvedProtocols: [],
    strategyWhitelist: [],
    allowArbitraryCalldata: false,
    hasMainWallet: true,
    mainWallet: people.mainWallet.address,
    cladeWallets: [people.cladeWallet.address],
    maxPositionBps: 2_500,
    maxPositions: 10,
    maxConcentrationBps: 3_000,
    minCollateralRatioBps: 12_500,
    drawdownThresholdBps: 2_000,
    maxDrawdownBps: 1_300,
    drawdownWindow: 86_400,
    minRebalanceInterval: 3_600,
    maxRebalancesPerDay: 24,
    perTransactionCapUsdc: usdc(10_000),
    perSessionCapUsdc: usdc(50_000),
    perDayCapUsdc: usdc(100_000),
    maxTradeLossBps: 100,
    sanctionOracle: sanctions.address,
    isSanctionsScreeningOn: true,
    baseAsset: tokens.usdc.address,
    wrappedNative: tokens.weth.address,
    hasSequencerFeed: false,
    sequencerFeed: zeroAddress,
  };
  const assets = [
    assetOf(tokens.usdc.address, feeds.usdc, PRICES.usdc, 0n),
    assetOf(tokens.weth.address, feeds.eth, PRICES.eth, ether("0.0001")),
    assetOf(tokens.wbtc.address, feeds.btc, PRICES.btc, 1_000n),
    assetOf(NATIVE, feeds.eth, PRICES.eth, ether("0.0001")),
  ];

  return withProtocol(withAssets(limits, assets), uniswap.router.address, ROUTER_FUNCTIONS);
}

/** `policy` with further assets. */
export function withAssets(policy: PolicyCageConfig, assets: readonly AssetConfig[]): PolicyCageConfig {
  return { ...policy, assets: ascending([...policy.assets, ...assets], ({ asset }) => BigInt(asset)) };
}

/** `policy` with further functions of `protocol` that may be called, which is approved for it where it was not. */
export function withProtocol(
  policy: PolicyCageConfig,
  protocol: Address,
  signatures: readonly string[],
): PolicyCageConfig {
  const pairs = [...policy.strategyWhitelist, ...strategiesOf(protocol, signatures)];
  const keyOf = (pair: Strategy) => BigInt(concatHex([pair.protocol, pair.selector]));

  return {
    ...policy,
    approvedProtocols: ascending([...new Set([...policy.approvedProtocols, protocol])], BigInt),
    strategyWhitelist: ascending(pairs, keyOf),
  };
}

/** Deploys the linked libraries, the cage, and with it the account it guards. */
export async function deployCage(world: World, policy: PolicyCageConfig): Promise<Guarded> {
  const { chain, people } = world;
  const RefusedCalls = await chain.deploy("RefusedCalls", []);
  const Configuration = await chain.deploy("Configuration", [], { RefusedCalls: RefusedCalls.address });
  const Stewardship = await chain.deploy("Stewardship", [], { Configuration: Configuration.address });
  const roles = {
    owner: people.owner.address,
    operator: people.operator.address,
    guardian: people.guardian.address,
  };
  const cage = await chain.deploy("PolicyCage", [policy, roles], {
    RefusedCalls: RefusedCalls.address,
    Configuration: Configuration.address,
    Stewardship: Stewardship.address,
  });

  return { cage, account: chain.contractAt("CagedAccount", await cage.read.account()) };
}

export async function fund(world: World, { account }: Guarded, holdings: Balances): Promise<void> {
  for (const { name } of ASSETS) await world.mint(name, account.address, holdings[name]);
}

export type Mark = { value: bigint; asOf: bigint; nonce: bigint; deadline: bigint };

/** The next mark of `cage` at `value`, good for an hour. */
export async function markOf({ chain }: World, { cage }: Guarded, value: bigint): Promise<Mark> {
  const asOf = await chain.now();

  return { value, asOf, nonce: await cage.read.highWaterMarkNonce(), deadline: asOf + 3_600n };
}

export async function signMark({ cage }: Guarded, mark: Mark, signer: PrivateKeyAccount): Promise<Hex> {
  const [, name, version, chainId, verifyingContract] = await cage.read.eip712Domain();

  return signer.signTypedData({
    domain: { name, version, chainId: Number(chainId), verifyingContract },
    types: {
      HighWaterMark: [
        { name: "value", type: "uint256" },
        { name: "asOf", type: "uint256" },
        { name: "nonce", type: "uint256" },
        { name: "deadline", type: "uint256" },
      ],
    },
    primaryType: "HighWaterMark",
    message: mark,
  });
}

export type SignedMark = { mark: Mark; signature: Hex };

/** Has the owner sign: half a percent under NAV, so that a tick of a feed does not void the signature. */
export async function raiseMark(world: World, guarded: Guarded): Promise<SignedMark> {
  const mark = await markOf(world, guarded, ((await guarded.cage.read.nav()) * 995n) / 1000n);
  const signature = await signMark(guarded, mark, world.people.owner);
  await world.chain.done(guarded.cage.write.raiseHighWaterMark([mark, signature], by(person("relayer"))));

  return { mark, signature };
}

export async function openSession(world: World, { cage }: Guarded): Promise<void> {
  const policy = await cage.read.policy();
  const { chain, people } = world;
  await chain.done(cage.write.openSession([people.golem.address, policy.perSessionCapUsdc, FOREVER], by(people.owner)));
}

/** A cage that is ready: deployed, funded, with a signed mark and an open session. */
export async function startCage(world: World, policy: PolicyCageConfig): Promise<Guarded> {
  const guarded = await deployCage(world, policy);
  await fund(world, guarded, HOLDINGS);
  await raiseMark(world, guarded);
  await openSession(world, guarded);

  return guarded;
}
