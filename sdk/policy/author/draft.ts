import * as AbiFunction from "ox/AbiFunction";
import type { Address, Hex } from "viem";
import { ZERO } from "../../core/units.ts";
import { NUMERIC_FIELDS, RULES } from "../model/rules.ts";
import type { PolicyCageConfig, PriceFeed, Strategy, Valuer, Violation } from "../model/types.ts";
import type { Preset } from "../presets/presets.ts";

/** Who may receive transfers of the golem: nobody, the owner's main wallet, or that and the wallets of the owner's other golems. */
export type TransferRestriction = "none" | "mainWallet" | "clade";

/** How the chain prices an asset. `dust` (default 0) and `issuer` (default: the asset bears its own risk) may be left out. */
export type PriceFeedInput = Omit<PriceFeed, "dust" | "issuer"> & Partial<Pick<PriceFeed, "dust" | "issuer">>;

/**
 * What may be called: a function of one protocol, or of every approved protocol. Functions are selectors (`0x414bf389`) or signatures
 * (`exactInput((bytes,address,uint256,uint256,uint256))`).
 */
export type StrategyInput = string | { protocol: Address; function: string };

type NumericValues = Pick<PolicyCageConfig, (typeof NUMERIC_FIELDS)[number]>;

/** What a builder was told so far. */
export type Draft = NumericValues & {
  transferRestriction: TransferRestriction;
  mainWallet?: Address;
  cladeWallets: readonly Address[];
  baseAsset?: Address;
  wrappedNative?: Address;
  sequencerFeed?: Address;
  approvedAssets: readonly Address[];
  sellOnlyAssets: readonly Address[];
  priceFeeds: ReadonlyMap<string, PriceFeedInput>;
  approvedProtocols: readonly Address[];
  strategies: readonly StrategyInput[];
  valuers: readonly Valuer[];
  presets: readonly Preset[];
  allowArbitraryCalldata: boolean;
  sanctionOracle?: Address;
  isSanctionsScreeningOn: boolean;
};

/** Longer than signatures in use, and deeper: the parser needs the square of both. Whatever is beyond is named by its selector. */
const MAX_SIGNATURE = 500;
const MAX_TUPLE_DEPTH = 8;

const RESTRICTIONS: readonly TransferRestriction[] = ["none", "mainWallet", "clade"];

/** The defaults of the specification. What has none is missing: base asset, wrapped native token, sanctions oracle, assets. */
export function defaults(): Draft {
  const numbers = NUMERIC_FIELDS.map((field) => {
    const value = RULES[field].default;

    return [field, field.endsWith("Usdc") ? value : Number(value)];
  });

  return {
    ...(Object.fromEntries(numbers) as NumericValues),
    transferRestriction: "none",
    cladeWallets: [],
    approvedAssets: [],
    sellOnlyAssets: [],
    priceFeeds: new Map(),
    approvedProtocols: [],
    strategies: [],
    valuers: [],
    presets: [],
    allowArbitraryCalldata: false,
    isSanctionsScreeningOn: true,
  };
}

/** The configuration that `draft` describes, lists in the chain's order. What is missing stays undefined, and is a violation by that. */
export function configOf(draft: Omit<Draft, "presets">): PolicyCageConfig {
  const { transferRestriction, approvedAssets, sellOnlyAssets, priceFeeds, strategies, valuers, ...fields } = draft;
  const { mainWallet, sequencerFeed, cladeWallets, approvedProtocols } = fields;
  const isClade = transferRestriction === "clade";
  const hasMainWallet = transferRestriction === "mainWallet" || (isClade && mainWallet !== undefined);
  const rowOf = (asset: Address, isSellOnly: boolean) => ({
    asset,
    isSellOnly,
    priceFeed: feedOf(priceFeeds.get(asset)),
  });
  const config = {
    ...fields,
    assets: ascending(
      [
        ...items(approvedAssets, (asset) => rowOf(asset, false)),
        ...items(sellOnlyAssets, (asset) => rowOf(asset, true)),
      ],
      ({ asset }) => asset,
    ),
    approvedProtocols: ascending(approvedProtocols, (protocol) => protocol),
    strategyWhitelist: expand(strategies, unmeasured(approvedProtocols, valuers)),
    valuers: ascending(valuers, (entry) => (isObject(entry) ? entry.protocol : entry)),
    hasMainWallet,
    mainWallet: hasMainWallet ? (mainWallet ?? ZERO) : ZERO,
    cladeWallets: isClade ? ascending(cladeWallets, (wallet) => wallet) : [],
    hasSequencerFeed: sequencerFeed !== undefined,
    sequencerFeed: sequencerFeed ?? ZERO,
  };

  return config as PolicyCageConfig;
}

/** What is wrong with a draft that its configuration does not show. */
export function draftViolations({
  transferRestriction,
  strategies,
  approvedAssets,
  sellOnlyAssets,
}: Draft): Violation[] {
  const found: Violation[] = [];
  if (!RESTRICTIONS.includes(transferRestriction)) {
    found.push({
      constraint: "transferRestriction",
      value: text(transferRestriction),
      allowed: RESTRICTIONS.join(", "),
    });
  }
  for (const [constraint, list] of Object.entries({ approvedAssets, sellOnlyAssets, strategyWhitelist: strategies })) {
    if (!Array.isArray(list)) found.push({ constraint, value: text(list), allowed: "a list" });
  }
  for (const strategy of items(strategies, (entry) => entry)) {
    if (selectorOf(strategy) !== undefined) continue;
    const allowed = "a selector (0x414bf389) or a signature (exactInput((bytes,address,uint256,uint256,uint256)))";
    found.push({ constraint: "strategyWhitelist", value: text(functionOf(strategy)), allowed });
  }

  return found;
}

/** Callers without types pass anything: what is not a list has no items. */
function items<Item, Result>(list: readonly Item[], map: (item: Item) => Result): Result[] {
  return Array.isArray(list) ? list.map(map) : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value.slice(0, 80) : typeof value;
}

function feedOf(input: PriceFeedInput | undefined): PriceFeed | undefined {
  return input === undefined ? undefined : { dust: 0n, issuer: ZERO, ...input };
}

/** By address, whatever its case; what is not an address goes anywhere, what is not a list stays what it is. */
function ascending<Item>(list: readonly Item[], keyOf: (item: Item) => unknown): readonly Item[] {
  if (!Array.isArray(list)) return list;
  const key = (item: Item) => text(keyOf(item)).toLowerCase();

  return [...list].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
}

function functionOf(strategy: StrategyInput): unknown {
  return typeof strategy === "object" && strategy !== null ? strategy.function : strategy;
}

/** Keeps what cannot be a signature from a parser that takes its time over it. */
function isParsable(name: string): boolean {
  if (name.length > MAX_SIGNATURE || /[(,]\s*,|,\s*\)/.test(name)) return false;
  let [depth, deepest] = [0, 0];
  for (const character of name) {
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    deepest = Math.max(deepest, depth);
  }

  return deepest <= MAX_TUPLE_DEPTH;
}

/** Selector of the function an entry names; undefined when it names none. */
export function selectorOf(strategy: StrategyInput): Hex | undefined {
  const name = functionOf(strategy);
  if (typeof name !== "string") return undefined;
  if (/^0x[0-9a-f]{8}$/i.test(name)) return name.toLowerCase() as Hex;
  if (!isParsable(name)) return undefined;
  try {
    const definition: string = `function ${name}`;

    return AbiFunction.getSelector(AbiFunction.from(definition as never));
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** A protocol with a valuer takes the pairs that name it, and no others. */
function unmeasured(protocols: readonly Address[], valuers: readonly Valuer[]): readonly Address[] {
  const measured = new Set<unknown>(items(valuers, (entry) => (isObject(entry) ? entry.protocol : entry)));

  return Array.isArray(protocols) ? protocols.filter((protocol) => !measured.has(protocol)) : protocols;
}

/** Pairs, each once: a bare function stands for that function of every protocol of the list. */
function expand(strategies: readonly StrategyInput[], approvedProtocols: readonly Address[]): readonly Strategy[] {
  const pairs = items(strategies, (strategy) => {
    const selector = selectorOf(strategy);
    if (selector === undefined) return [];
    const protocols =
      typeof strategy === "object" ? [strategy.protocol] : items(approvedProtocols, (protocol) => protocol);

    return protocols.map((protocol) => ({ protocol, selector }));
  }).flat();
  const keyOf = ({ protocol, selector }: Strategy) => `${text(protocol)}${selector}`;
  const byKey = new Map(pairs.map((pair) => [keyOf(pair).toLowerCase(), pair]));

  return ascending([...byKey.values()], keyOf);
}
