import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import {
  type Abi,
  type AbiFunction,
  type Address,
  encodeFunctionData,
  getAbiItem,
  type Hex,
  numberToHex,
  parseUnits,
  toFunctionSelector,
  zeroAddress,
} from "viem";
import { usdc as dollars, NATIVE } from "../../sdk/index.ts";
import type { Bytecode, Chain, Contract, Receipt } from "./chain.ts";

const require = createRequire(import.meta.url);

const POOL_FEE = 500;
export const DEADLINE = 4_000_000_000n;
const UNLIMITED = 2n ** 256n - 1n;

/** Price in whole US dollars, and a dust amount under one of them. */
export type Listed = { token: Address; feed: Address; price: bigint; dust: bigint };

export type World = {
  chain: Chain;
  artifact: (name: string) => Promise<Bytecode>;
  usdc: Contract;
  weth: Contract;
  third: Contract;
  pool: Contract;
  router: Contract;
  sanctions: Contract;
  feeds: { proxy: Contract; aggregator: Contract; price: bigint }[];
  listed: { usdc: Listed; weth: Listed; third: Listed };
  libraries: Record<string, Contract & { gas: number }>;
  /** What addresses are called in a trace; several contracts of one thing share a name. */
  names: Map<Address, string>;
};

export type Cage = { cage: Contract & { gas: number }; account: Contract };

export type Trade = {
  protocol: Address;
  value: bigint;
  data: Hex;
  inputs: { asset: Address; maxAmount: bigint }[];
  outputs: Address[];
};

export const roles = (chain: Chain) => ({
  owner: chain.account(1),
  golem: chain.account(2),
  trader: chain.account(3),
  guardian: chain.account(4),
  operator: chain.account(5),
  mainWallet: chain.account(6),
  // Deployers of their own, so that a further library or contract moves no other address: zeros in an address save gas.
  librarian: chain.account(7),
  architect: chain.account(8),
});

/** Bytecode that a package publishes. */
function published(path: string): Bytecode {
  return JSON.parse(readFileSync(require.resolve(path), "utf8")) as Bytecode;
}

const uniswap = {
  factory: () => published("@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json"),
  pool: () => published("@uniswap/v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json"),
  router: () => published("@uniswap/v3-periphery/artifacts/contracts/SwapRouter.sol/SwapRouter.json"),
  positions: () =>
    published(
      "@uniswap/v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json",
    ),
};

/** Tokens, feeds, a sanctions list and a Uniswap pool of USDC and WETH, with the cage's libraries. */
export async function createWorld(hre: HardhatRuntimeEnvironment, chain: Chain): Promise<World> {
  const artifact = async (name: string): Promise<Bytecode> => {
    const { abi, bytecode, linkReferences } = await hre.artifacts.readArtifact(name);

    return { abi: abi as Abi, bytecode: bytecode as Hex, linkReferences };
  };
  const { trader } = roles(chain);

  const implementation = await chain.deploy(await artifact("UsdcModel"));
  // The proxy's administrator cannot call the token: it is not the account that deploys everything else.
  const proxy = await artifact("UsdcProxyModel");
  const usdcProxy = await chain.deploy(proxy, [implementation.address]);
  const usdc = { address: usdcProxy.address, abi: implementation.abi };
  const weth = await chain.deploy(published("canonical-weth/build/contracts/WETH9.json"));
  const third = await chain.deploy(await artifact("MockERC20"), ["WBTC", 8]);
  const sanctions = await chain.deploy(await artifact("SanctionsListModel"));

  const feeds: World["feeds"] = [];
  for (const price of [1n, 2_000n, 50_000n]) {
    const aggregator = await chain.deploy(await artifact("MockAggregator"), [8, price * 10n ** 8n]);
    feeds.push({
      proxy: await chain.deploy(await artifact("MockAggregatorProxy"), [aggregator.address]),
      aggregator,
      price,
    });
  }
  const feed = (index: number) => {
    const found = feeds[index];
    if (found === undefined) throw new Error(`There is no feed ${index}.`);

    return found.proxy.address;
  };
  const listed = {
    usdc: { token: usdc.address, feed: feed(0), price: 1n, dust: 0n },
    weth: { token: weth.address, feed: feed(1), price: 2_000n, dust: parseUnits("0.0001", 18) },
    third: { token: third.address, feed: feed(2), price: 50_000n, dust: 1_000n },
  };

  const factory = await chain.deploy(uniswap.factory());
  const router = await chain.deploy(uniswap.router(), [factory.address, weth.address]);
  const positions = await chain.deploy(uniswap.positions(), [factory.address, weth.address, zeroAddress]);

  // A deep pool at 2 000 USDC per WETH: the swaps below do not leave its tick.
  const supply = { usdc: dollars(200_000_000_000), weth: parseUnits("100000000", 18) };
  const isUsdcFirst = usdc.address.toLowerCase() < weth.address.toLowerCase();
  const [amount0, amount1] = isUsdcFirst ? [supply.usdc, supply.weth] : [supply.weth, supply.usdc];
  await chain.request("hardhat_setBalance", [trader, numberToHex(supply.weth * 3n)]);
  await chain.write(trader, usdc, "mint", [trader, supply.usdc * 2n]);
  await chain.write(trader, weth, "deposit", [], { value: supply.weth * 2n });
  await chain.write(trader, third, "mint", [trader, 10n ** 12n]);
  for (const token of [usdc, weth]) {
    for (const spender of [positions, router])
      await chain.write(trader, token, "approve", [spender.address, UNLIMITED]);
  }
  const [token0, token1] = isUsdcFirst ? [usdc.address, weth.address] : [weth.address, usdc.address];
  await chain.write(trader, positions, "createAndInitializePoolIfNecessary", [
    token0,
    token1,
    POOL_FEE,
    squareRoot((amount1 << 192n) / amount0),
  ]);
  await chain.write(trader, positions, "mint", [
    {
      token0,
      token1,
      fee: POOL_FEE,
      tickLower: -887_270,
      tickUpper: 887_270,
      amount0Desired: amount0,
      amount1Desired: amount1,
      amount0Min: 0n,
      amount1Min: 0n,
      recipient: trader,
      deadline: DEADLINE,
    },
  ]);
  const pool = {
    address: (await chain.read(factory, "getPool", [token0, token1, POOL_FEE])) as Address,
    abi: uniswap.pool().abi,
  };

  const libraries: World["libraries"] = {};

  const names = new Map<Address, string>();
  const name = (contract: { address: Address }, text: string) => names.set(lower(contract.address), text);
  name(usdc, "USDC");
  name(implementation, "USDC");
  name(weth, "WETH");
  name(third, "third token");
  name(sanctions, "sanctions list");
  name(pool, "pool");
  name(router, "router");
  feeds.forEach(({ proxy, aggregator }, index) => {
    const pair = ["USDC", "WETH", "third"][index];
    name(proxy, `feed ${pair}`);
    name(aggregator, `feed ${pair}`);
  });

  return { chain, artifact, usdc, weth, third, pool, router, sanctions, feeds, listed, libraries, names };
}

/** Deploys the libraries that `name` is linked with, once each, and answers its bytecode with their addresses in it. */
async function linked(world: World, name: string): Promise<Bytecode> {
  const { abi, bytecode, linkReferences } = await world.artifact(name);
  let code = bytecode.slice(2);
  for (const [library, places] of Object.values(linkReferences).flatMap((file) => Object.entries(file))) {
    world.libraries[library] ??= await world.chain.deploy(
      await linked(world, library),
      [],
      roles(world.chain).librarian,
    );
    const { address } = world.libraries[library];
    world.names.set(lower(address), library);
    for (const { start } of places) {
      code = code.slice(0, 2 * start) + lower(address).slice(2) + code.slice(2 * start + 40);
    }
  }

  return { abi, bytecode: `0x${code}`, linkReferences: {} };
}

export type CageOptions = {
  /** Rows of the asset table beside USDC, WETH and the third token. */
  extra?: Listed[];
  /** Without it the third token is not listed. */
  hasThird?: boolean;
  /** Listed as an asset of its own. */
  hasNative?: boolean;
  /** What the account holds beside 100 000 USDC, 20 WETH and one of the third token. */
  fund?: (account: Address) => Promise<void>;
};

/** Deploys a cage and what it guards, funds the account, signs a mark and opens a session of the golem. */
export async function createCage(world: World, options: CageOptions = {}): Promise<Cage> {
  const { chain, usdc, weth, third } = world;
  const { owner, golem, trader } = roles(chain);

  const { cage, account } = await deployCage(world, options);
  await chain.write(trader, usdc, "transfer", [account.address, dollars(100_000)]);
  await chain.write(trader, weth, "transfer", [account.address, parseUnits("20", 18)]);
  await chain.write(trader, third, "transfer", [account.address, 10n ** 8n]);
  await options.fund?.(account.address);
  await raiseMark(world, cage, await belowNav(world, cage));
  await chain.write(owner, cage, "openSession", [golem, dollars(50_000), DEADLINE]);

  return { cage, account };
}

/** Half a percent under NAV: what the SDK signs. */
async function belowNav({ chain }: World, cage: Contract): Promise<bigint> {
  return (((await chain.read(cage, "nav")) as bigint) * 9_950n) / 10_000n;
}

async function deployCage(world: World, options: CageOptions = {}): Promise<Cage> {
  const { chain, artifact, names } = world;
  const { owner, operator, guardian, architect } = roles(chain);

  const keys = { owner, operator, guardian };
  const cage = await chain.deploy(await linked(world, "PolicyCage"), [policy(world, options), keys], architect);
  const account = {
    address: (await chain.read(cage, "account")) as Address,
    abi: (await artifact("CagedAccount")).abi,
  };
  names.set(lower(cage.address), "cage");
  names.set(lower(account.address), "account");

  return { cage, account };
}

/** The default limits, but for the interval between executions and limits that the trades here would reach. */
function policy(world: World, { extra = [], hasThird = true, hasNative = false }: CageOptions) {
  const { listed, router, sanctions, weth, usdc, chain } = world;
  const rows = [listed.usdc, listed.weth, ...(hasThird ? [listed.third] : []), ...extra];
  if (hasNative) rows.push({ ...listed.weth, token: NATIVE });
  const selectors = ["exactInputSingle", "unwrapWETH9"].map((name) =>
    toFunctionSelector(getAbiItem({ abi: router.abi, name }) as AbiFunction),
  );

  return {
    assets: rows
      .map(({ token, feed, price, dust }) => ({
        asset: token,
        isSellOnly: false,
        priceFeed: {
          feed,
          heartbeat: 3_600,
          minAnswer: price * 10n ** 6n,
          maxAnswer: price * 10n ** 10n,
          dust,
          issuer: zeroAddress,
        },
      }))
      .sort((a, b) => (lower(a.asset) < lower(b.asset) ? -1 : 1)),
    maxAssetCount: 10,
    approvedProtocols: [router.address],
    strategyWhitelist: selectors.sort().map((selector) => ({ protocol: router.address, selector })),
    allowArbitraryCalldata: false,
    hasMainWallet: true,
    mainWallet: roles(chain).mainWallet,
    cladeWallets: [],
    maxPositionBps: 5_000,
    maxPositions: 10,
    maxConcentrationBps: 5_000,
    minCollateralRatioBps: 12_500,
    drawdownThresholdBps: 2_000,
    maxDrawdownBps: 1_300,
    drawdownWindow: 86_400,
    minRebalanceInterval: 0,
    maxRebalancesPerDay: 255,
    perTransactionCapUsdc: dollars(10_000),
    perSessionCapUsdc: dollars(50_000),
    perDayCapUsdc: dollars(100_000),
    maxTradeLossBps: 100,
    sanctionOracle: sanctions.address,
    isSanctionsScreeningOn: true,
    baseAsset: usdc.address,
    wrappedNative: weth.address,
    hasSequencerFeed: false,
    sequencerFeed: zeroAddress,
  };
}

/** Signs `value` as the owner and raises the mark to it. */
export async function raiseMark(world: World, cage: Contract, value: bigint): Promise<Receipt> {
  const { chain } = world;
  const { owner, trader } = roles(chain);
  const nonce = (await chain.read(cage, "highWaterMarkNonce")) as bigint;
  const mark = { value, asOf: BigInt(chain.time), nonce, deadline: DEADLINE };
  const signature = await chain.request("eth_signTypedData_v4", [
    owner,
    {
      domain: { name: "PolicyCage", version: "1", chainId: 1, verifyingContract: cage.address },
      primaryType: "HighWaterMark",
      types: {
        EIP712Domain: [
          { name: "name", type: "string" },
          { name: "version", type: "string" },
          { name: "chainId", type: "uint256" },
          { name: "verifyingContract", type: "address" },
        ],
        HighWaterMark: ["value", "asOf", "nonce", "deadline"].map((name) => ({ name, type: "uint256" })),
      },
      message: Object.fromEntries(Object.entries(mark).map(([key, number]) => [key, number.toString()])),
    },
  ]);

  return chain.write(trader, cage, "raiseHighWaterMark", [mark, signature]);
}

/** Lets every feed repeat its price. */
export async function refreshFeeds({ chain, feeds }: World): Promise<void> {
  for (const { aggregator, price } of feeds) {
    await chain.write(chain.account(0), aggregator, "setAnswer", [price * 10n ** 8n]);
  }
}

/** Calldata of `exactInputSingle`, 1 000 USDC into WETH for `recipient`. */
export function swapData({ router, usdc, weth }: World, recipient: Address, amount = dollars(1_000)): Hex {
  return encodeFunctionData({
    abi: router.abi,
    functionName: "exactInputSingle",
    args: [
      {
        tokenIn: usdc.address,
        tokenOut: weth.address,
        fee: POOL_FEE,
        recipient,
        deadline: DEADLINE,
        amountIn: amount,
        amountOutMinimum: 1n,
        sqrtPriceLimitX96: 0n,
      },
    ],
  });
}

export function swapTrade(world: World, account: Contract, amount = dollars(1_000)): Trade {
  return {
    protocol: world.router.address,
    value: 0n,
    data: swapData(world, account.address, amount),
    inputs: [{ asset: world.usdc.address, maxAmount: amount }],
    outputs: [world.weth.address],
  };
}

export function lower(address: Address): Address {
  return address.toLowerCase() as Address;
}

function squareRoot(value: bigint): bigint {
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
