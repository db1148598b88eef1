import { type Address, getAddress, type Hex, zeroAddress } from "viem";
import type { AssetConfig, PolicyCageConfig } from "../../../../sdk/index.ts";
import type { PolicyWorld } from "./world.ts";

/** Dice that fall the same way for the same seed. */
export type Dice = {
  /** A whole number from 0 to `sides` - 1. */
  roll(sides: number): number;
  pick<Item>(items: readonly Item[]): Item;
  chance(probability: number): boolean;
};

/** The generator of mulberry32. */
export function diceOf(seed: number): Dice {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;

    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const roll = (sides: number) => Math.floor(next() * sides);

  return {
    roll,
    pick: (items) => items[roll(items.length)] as (typeof items)[number],
    chance: (probability) => next() < probability,
  };
}

const RANGES: Record<string, readonly [bigint, bigint]> = {
  maxPositionBps: [1n, 10_000n],
  maxPositions: [1n, 20n],
  maxConcentrationBps: [500n, 10_000n],
  minCollateralRatioBps: [10_500n, 99_999n],
  drawdownThresholdBps: [500n, 5_000n],
  maxDrawdownBps: [100n, 5_000n],
  drawdownWindow: [1n, 99_999n],
  minRebalanceInterval: [0n, 86_400n],
  maxRebalancesPerDay: [1n, 255n],
  perTransactionCapUsdc: [100_000_000n, 1_000_000_000_000n],
  perSessionCapUsdc: [1_000_000_000n, 10_000_000_000_000n],
  perDayCapUsdc: [1_000_000_000n, 10_000_000_000_000n],
  maxTradeLossBps: [1n, 1_000n],
};

const SELECTORS: readonly Hex[] = ["0x00000001", "0x12345678", "0xffffffff", "0x0000000a"];

/** A world for plans: two further tokens, each of which is an asset of one policy and a protocol of another. */
export async function planWorld(world: PolicyWorld) {
  const shared: Address[] = [];
  for (const name of ["ONE", "TWO"])
    shared.push(getAddress((await world.chain.deploy("MockERC20", [name, 18])).address));

  return { ...world, shared };
}

function ascending<Item>(items: readonly Item[], key: (item: Item) => bigint): Item[] {
  return [...items].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/**
 * A policy that a cage accepts, made apart from the SDK: rows of several feeds and issuers, sell-only or not, with and without dust; native
 * currency with and without its wrapper; pairs, recipients of both kinds, every number often at an end of its range.
 */
export function randomPolicy(world: Awaited<ReturnType<typeof planWorld>>, dice: Dice): PolicyCageConfig {
  const { tokens, feeds, protocols, people, oracles, shared } = world;
  const row = (asset: Address, [feed, answer]: readonly [Address, bigint]): AssetConfig => ({
    asset,
    isSellOnly: asset !== tokens.usdc && dice.chance(0.3),
    priceFeed: {
      feed,
      heartbeat: 3_000_000 + dice.roll(3) * 1_000_000,
      minAnswer: answer - (answer / 100n) * BigInt(dice.roll(3) * 20),
      maxAnswer: answer * BigInt(1 + dice.roll(3)),
      dust: BigInt(dice.roll(2)),
      issuer: dice.chance(0.3) ? dice.pick(protocols.slice(0, 3)) : zeroAddress,
    },
  });
  const one = [feeds.one, 10n ** 8n] as const;
  const ethFeeds = [feeds.eth, feeds.sameAsEth].map((feed) => [feed, 2_000n * 10n ** 8n] as const);
  const rows = [{ ...row(tokens.usdc, one), isSellOnly: false }];
  const wrapped = row(tokens.weth, dice.pick(ethFeeds));
  if (dice.chance(0.6)) rows.push(wrapped);
  if (dice.chance(0.6)) {
    rows.push({
      ...wrapped,
      asset: tokens.native,
      isSellOnly: dice.chance(0.3),
      priceFeed: { ...wrapped.priceFeed, dust: BigInt(dice.roll(2)) },
    });
  }
  if (dice.chance(0.4)) rows.push(row(tokens.dai, one));
  if (dice.chance(0.4)) rows.push(row(tokens.wbtc, [feeds.btc, 50_000n * 10n ** 18n]));

  const approved = protocols.slice(0, 6).filter(() => dice.chance(0.5));
  for (const token of shared) {
    const role = dice.roll(3);
    if (role === 0) rows.push(row(token, one));
    if (role === 1) approved.push(token);
  }
  const pairs = approved.flatMap((protocol) =>
    SELECTORS.filter(() => dice.chance(0.4)).map((selector) => ({ protocol, selector })),
  );
  const hasMainWallet = dice.chance(0.5);
  const mainWallet = dice.pick(people.slice(0, 3));
  const numbers = Object.entries(RANGES).map(([field, [min, max]]) => {
    const value = dice.chance(0.3)
      ? dice.pick([min, max])
      : min + (BigInt(dice.roll(2 ** 32)) * (max - min)) / 2n ** 32n;

    return [field, field.endsWith("Usdc") ? value : Number(value)];
  });
  const largeTrades = dice.chance(0.5)
    ? { largeTradeValueUsdc: 0n, largeTradeDelay: 0 }
    : { largeTradeValueUsdc: BigInt(1 + dice.roll(3)), largeTradeDelay: 1 + dice.roll(3) };

  return {
    assets: ascending(rows, ({ asset }) => BigInt(asset)),
    maxAssetCount: dice.chance(0.5) ? rows.length : 10,
    approvedProtocols: ascending(approved, BigInt),
    strategyWhitelist: ascending(pairs, ({ protocol, selector }) => (BigInt(protocol) << 32n) | BigInt(selector)),
    allowArbitraryCalldata: dice.chance(0.3),
    hasMainWallet,
    mainWallet: hasMainWallet ? mainWallet : zeroAddress,
    cladeWallets: ascending(
      people.slice(0, 6).filter((person) => dice.chance(0.4) && !(hasMainWallet && person === mainWallet)),
      BigInt,
    ),
    sanctionOracle: dice.pick(oracles),
    isSanctionsScreeningOn: dice.chance(0.6),
    baseAsset: tokens.usdc,
    wrappedNative: tokens.weth,
    hasSequencerFeed: false,
    sequencerFeed: zeroAddress,
    valuers: [],
    ...largeTrades,
    ...Object.fromEntries(numbers),
  } as PolicyCageConfig;
}
