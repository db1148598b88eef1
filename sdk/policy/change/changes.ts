import type { Address } from "viem";
import { NATIVE, ZERO } from "../../core/units.ts";
import type { NumericField } from "../model/rules.ts";
import type { AssetConfig, PolicyCageConfig, PriceFeed, Strategy, Valuer } from "../model/types.ts";
import { strategyKey } from "../model/violations.ts";
import { isSameFeed } from "./feeds.ts";

/** What a cage knows: its rules, and the price feeds it keeps of assets that are not listed. */
export type KnownRules = { config: PolicyCageConfig; feeds: ReadonlyMap<Address, PriceFeed> };

/** One call of a timelocked setter, and what it makes of the rules: as `Configuration.sol` does. */
export type Change = { setter: string; args: readonly unknown[]; apply(rules: KnownRules): KnownRules };

const ELEVATED: readonly NumericSetter[] = [
  ["setMaxAssetCount", ["maxAssetCount"]],
  ["setMaxPositionBps", ["maxPositionBps"]],
  ["setMaxPositions", ["maxPositions"]],
  ["setMaxConcentrationBps", ["maxConcentrationBps"]],
  ["setMinCollateralRatioBps", ["minCollateralRatioBps"]],
  ["setRebalanceLimits", ["minRebalanceInterval", "maxRebalancesPerDay"]],
];

const HIGH: readonly NumericSetter[] = [
  ["setDrawdownThreshold", ["drawdownThresholdBps"]],
  ["setSoftDrawdown", ["maxDrawdownBps", "drawdownWindow"]],
  ["setSpendingCaps", ["perTransactionCapUsdc", "perDayCapUsdc"]],
  ["setSessionCap", ["perSessionCapUsdc"]],
  ["setMaxTradeLossBps", ["maxTradeLossBps"]],
  ["setLargeTrades", ["largeTradeValueUsdc", "largeTradeDelay"]],
];

type NumericSetter = readonly [setter: string, fields: readonly NumericField[]];

/**
 * The calls that turn the rules of a cage into `to`, in an order in which every one is accepted: what leaves a list goes before what
 * enters one (lists are bounded, and nothing may be asset and protocol at once), a protocol enters before its functions, a price feed
 * before its asset; short delays before long ones. Says nothing about what is allowed on the way.
 */
export function changesBetween(rules: KnownRules, to: PolicyCageConfig): Change[] {
  const changes: Change[] = [];
  let present = rules;
  const add = (next: readonly Change[]) => {
    for (const change of next) {
      changes.push(change);
      present = change.apply(present);
    }
  };

  // At once.
  if (to.isSanctionsScreeningOn) add(flag("setSanctionsScreening", "isSanctionsScreeningOn", present, to));
  // Elevated.
  add(assetsLeaving(present, to));
  add(protocolsLeaving(present, to));
  add(ELEVATED.flatMap((setter) => numbers(setter, present, to)));
  add(assetsTurning(present, to));
  add(protocolsEntering(present, to));
  // High.
  add(strategiesLeaving(present, to));
  add(valuers(present, to));
  add(strategiesEntering(present, to));
  add(recipients(present, to));
  add(HIGH.flatMap((setter) => numbers(setter, present, to)));
  add(flag("setAllowArbitraryCalldata", "allowArbitraryCalldata", present, to));
  // Critical.
  for (const row of to.assets) add(priceFeed(present, row));
  add(assetsEntering(present, to));
  add(sanctionOracle(present, to));
  add(flag("setSanctionsScreening", "isSanctionsScreeningOn", present, to));

  return changes;
}

/** A change of fields that nothing else depends on. */
function patch(setter: string, args: readonly unknown[], fields: Partial<PolicyCageConfig>): Change {
  return { setter, args, apply: ({ config, feeds }) => ({ config: { ...config, ...fields }, feeds }) };
}

function numbers([setter, fields]: NumericSetter, { config }: KnownRules, to: PolicyCageConfig): Change[] {
  if (fields.every((field) => config[field] === to[field])) return [];

  return [
    patch(
      setter,
      fields.map((field) => BigInt(to[field])),
      Object.fromEntries(fields.map((field) => [field, to[field]])),
    ),
  ];
}

function flag(
  setter: string,
  field: "isSanctionsScreeningOn" | "allowArbitraryCalldata",
  { config }: KnownRules,
  to: PolicyCageConfig,
): Change[] {
  return config[field] === to[field] ? [] : [patch(setter, [to[field]], { [field]: to[field] })];
}

function sanctionOracle({ config }: KnownRules, { sanctionOracle: oracle }: PolicyCageConfig): Change[] {
  return config.sanctionOracle === oracle ? [] : [patch("setSanctionOracle", [oracle], { sanctionOracle: oracle })];
}

function recipients({ config }: KnownRules, to: PolicyCageConfig): Change[] {
  const { hasMainWallet, mainWallet, cladeWallets } = to;
  const isSame = config.mainWallet === mainWallet && String(config.cladeWallets) === String(cladeWallets);

  return isSame
    ? []
    : [patch("setRecipients", [hasMainWallet, mainWallet, cladeWallets], { hasMainWallet, mainWallet, cladeWallets })];
}

// ── Assets ──

function isListed({ config }: KnownRules, asset: Address): boolean {
  return config.assets.some((row) => row.asset === asset);
}

function withAssets(rules: KnownRules, assets: readonly AssetConfig[]): KnownRules {
  const ascending = [...assets].sort((a, b) => (BigInt(a.asset) < BigInt(b.asset) ? -1 : 1));

  return { ...rules, config: { ...rules.config, assets: ascending } };
}

function assetsLeaving({ config }: KnownRules, to: PolicyCageConfig): Change[] {
  const staying = new Set(to.assets.map(({ asset }) => asset));

  return config.assets
    .filter(({ asset }) => !staying.has(asset))
    .map(({ asset }) => ({
      setter: "removeAsset",
      args: [asset],
      apply: (rules) =>
        withAssets(
          rules,
          rules.config.assets.filter((row) => row.asset !== asset),
        ),
    }));
}

/** Sell-only becomes approved, or the other way. */
function turn(asset: Address, isSellOnly: boolean): Change {
  return {
    setter: "whitelistAsset",
    args: [asset, !isSellOnly],
    apply: (rules) =>
      withAssets(
        rules,
        rules.config.assets.map((row) => (row.asset === asset ? { ...row, isSellOnly } : row)),
      ),
  };
}

function assetsTurning({ config }: KnownRules, to: PolicyCageConfig): Change[] {
  const wanted = new Map(to.assets.map(({ asset, isSellOnly }) => [asset, isSellOnly]));

  return config.assets
    .filter(({ asset, isSellOnly }) => wanted.has(asset) && wanted.get(asset) !== isSellOnly)
    .map(({ asset, isSellOnly }) => turn(asset, !isSellOnly));
}

/** An asset enters as approved: one that is to be sell-only turns at once. */
function assetsEntering(rules: KnownRules, to: PolicyCageConfig): Change[] {
  return to.assets
    .filter(({ asset }) => !isListed(rules, asset))
    .flatMap(({ asset, isSellOnly, priceFeed: feed }) => {
      const enter: Change = {
        setter: "whitelistAsset",
        args: [asset, true],
        apply: (present) =>
          withAssets(present, [...present.config.assets, { asset, isSellOnly: false, priceFeed: feed }]),
      };

      return isSellOnly ? [enter, turn(asset, true)] : [enter];
    });
}

function priceFeed(rules: KnownRules, { asset, priceFeed: wanted }: AssetConfig): Change[] {
  const known = rules.config.assets.find((row) => row.asset === asset)?.priceFeed ?? rules.feeds.get(asset);
  if (known !== undefined && isSameFeed(known, wanted)) return [];

  return [{ setter: "setPriceFeed", args: [asset, wanted], apply: (present) => withFeed(present, asset, wanted) }];
}

/** Native currency and its wrapper have one feed: setting either's sets both, each with its own dust. */
function withFeed(rules: KnownRules, asset: Address, feed: PriceFeed): KnownRules {
  const { wrappedNative } = rules.config;
  const twin = asset === NATIVE ? wrappedNative : asset === wrappedNative ? NATIVE : undefined;
  const rows = rules.config.assets.map((row) => {
    if (row.asset === asset) return { ...row, priceFeed: feed };

    return row.asset === twin ? { ...row, priceFeed: { ...feed, dust: row.priceFeed.dust } } : row;
  });

  return { ...withAssets(rules, rows), feeds: new Map(rules.feeds).set(asset, feed) };
}

// ── Protocols and their functions ──

/** A protocol leaves with its functions and its valuer. */
function protocolsLeaving({ config }: KnownRules, to: PolicyCageConfig): Change[] {
  return config.approvedProtocols
    .filter((protocol) => !to.approvedProtocols.includes(protocol))
    .map((protocol) => ({
      setter: "whitelistProtocol",
      args: [protocol, false],
      apply: (rules) => ({
        ...rules,
        config: {
          ...rules.config,
          approvedProtocols: rules.config.approvedProtocols.filter((other) => other !== protocol),
          strategyWhitelist: rules.config.strategyWhitelist.filter((pair) => pair.protocol !== protocol),
          valuers: rules.config.valuers.filter((entry) => entry.protocol !== protocol),
        },
      }),
    }));
}

function protocolsEntering({ config }: KnownRules, to: PolicyCageConfig): Change[] {
  return to.approvedProtocols
    .filter((protocol) => !config.approvedProtocols.includes(protocol))
    .map((protocol) => ({
      setter: "whitelistProtocol",
      args: [protocol, true],
      apply: (rules) => {
        const list = [...rules.config.approvedProtocols, protocol];
        const approvedProtocols = list.sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1));

        return { ...rules, config: { ...rules.config, approvedProtocols } };
      },
    }));
}

// All that leave go in one call and all that enter in another: a list as long as a cage takes fits in a transaction.

function strategiesLeaving({ config }: KnownRules, to: PolicyCageConfig): Change[] {
  const leaving = config.strategyWhitelist.filter(missingIn(to.strategyWhitelist));

  return setStrategies(leaving, false, config.strategyWhitelist.filter(missingIn(leaving)));
}

function strategiesEntering({ config }: KnownRules, to: PolicyCageConfig): Change[] {
  return setStrategies(to.strategyWhitelist.filter(missingIn(config.strategyWhitelist)), true, to.strategyWhitelist);
}

function missingIn(list: readonly Strategy[]): (pair: Strategy) => boolean {
  const keys = new Set(list.map(strategyKey));

  return (pair) => !keys.has(strategyKey(pair));
}

function setStrategies(
  pairs: readonly Strategy[],
  isAllowed: boolean,
  strategyWhitelist: readonly Strategy[],
): Change[] {
  return pairs.length === 0 ? [] : [patch("setStrategies", [pairs, isAllowed], { strategyWhitelist })];
}

/** A valuer leaves behind the functions that need it, and enters before them. Those that leave make room. */
function valuers({ config }: KnownRules, to: PolicyCageConfig): Change[] {
  const wanted = new Map(to.valuers.map(({ protocol, valuer }) => [protocol, valuer]));
  const known = new Map(config.valuers.map(({ protocol, valuer }) => [protocol, valuer]));
  const leaving = config.valuers.filter(({ protocol }) => !wanted.has(protocol));
  const entering = to.valuers.filter(({ protocol, valuer }) => known.get(protocol) !== valuer);

  return [
    ...leaving.map(({ protocol }) => setValuer(protocol, ZERO)),
    ...entering.map((entry) => setValuer(entry.protocol, entry.valuer)),
  ];
}

function setValuer(protocol: Address, valuer: Address): Change {
  return {
    setter: "setValuer",
    args: [protocol, valuer],
    apply: (rules) => ({
      ...rules,
      config: { ...rules.config, valuers: withValuer(rules.config.valuers, { protocol, valuer }) },
    }),
  };
}

/** The valuers of a cage once `entry` is set; zero takes one out. */
export function withValuer(list: readonly Valuer[], entry: Valuer): readonly Valuer[] {
  const others = list.filter(({ protocol }) => protocol !== entry.protocol);
  const next = entry.valuer === ZERO ? others : [...others, entry];

  return next.sort((a, b) => (BigInt(a.protocol) < BigInt(b.protocol) ? -1 : 1));
}
