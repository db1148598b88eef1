import type { PolicyCageConfig } from "../../../../sdk/index.ts";

type Field = keyof PolicyCageConfig;

/** Numbers under which less is allowed when they are smaller, and when they are larger. Said here once more, apart from the SDK. */
const SMALLER_IS_STRICTER: readonly Field[] = [
  "maxAssetCount",
  "maxPositionBps",
  "maxPositions",
  "maxConcentrationBps",
  "drawdownThresholdBps",
  "maxDrawdownBps",
  "maxRebalancesPerDay",
  "perTransactionCapUsdc",
  "perSessionCapUsdc",
  "perDayCapUsdc",
  "maxTradeLossBps",
];
const LARGER_IS_STRICTER: readonly Field[] = ["minCollateralRatioBps", "minRebalanceInterval", "largeTradeDelay"];
/** What has no order must be the same. */
const NO_ORDER: readonly Field[] = ["drawdownWindow", "sanctionOracle"];

/** The ways in which `state` allows what `bound` does not, field by field. A halted cage is not asked: it allows nothing. */
export function beyond(state: PolicyCageConfig, bound: PolicyCageConfig): string[] {
  const found: string[] = [
    ...SMALLER_IS_STRICTER.filter((field) => state[field] > bound[field]),
    ...LARGER_IS_STRICTER.filter((field) => state[field] < bound[field]),
    ...NO_ORDER.filter((field) => state[field] !== bound[field]),
  ];
  const note = (name: string, isBeyond: boolean) => {
    if (isBeyond) found.push(name);
  };
  const isWithin = (list: readonly unknown[], allowed: readonly unknown[]) => {
    const keys = new Set(allowed.map((item) => JSON.stringify(item)));

    return list.every((item) => keys.has(JSON.stringify(item)));
  };
  // Without a threshold everything passes unannounced.
  const unannounced = ({ largeTradeValueUsdc: value }: PolicyCageConfig) => (value === 0n ? 2n ** 256n : value);
  note("largeTradeValueUsdc", unannounced(state) > unannounced(bound));
  note("approvedProtocols", !isWithin(state.approvedProtocols, bound.approvedProtocols));
  note("strategyWhitelist", !isWithin(state.strategyWhitelist, bound.strategyWhitelist));
  note("valuers", !isWithin(state.valuers, bound.valuers));
  note("cladeWallets", !isWithin(state.cladeWallets, bound.cladeWallets));
  note("mainWallet", state.hasMainWallet && !(bound.hasMainWallet && bound.mainWallet === state.mainWallet));
  note("allowArbitraryCalldata", state.allowArbitraryCalldata && !bound.allowArbitraryCalldata);
  note("isSanctionsScreeningOn", !state.isSanctionsScreeningOn && bound.isSanctionsScreeningOn);

  const rows = new Map(bound.assets.map((row) => [row.asset, row]));
  // A row is what may be traded and what is measured: one more or one less is another table.
  note(
    "assets",
    !isWithin(
      state.assets.map(({ asset }) => asset),
      [...rows.keys()],
    ) || state.assets.length !== rows.size,
  );
  for (const { asset, isSellOnly, priceFeed } of state.assets) {
    const other = rows.get(asset);
    if (other === undefined) continue;
    note("buy", !isSellOnly && other.isSellOnly);
    note("feed", priceFeed.feed !== other.priceFeed.feed);
    note("issuer", priceFeed.issuer !== other.priceFeed.issuer);
    note("dust", priceFeed.dust !== other.priceFeed.dust);
    note("heartbeat", priceFeed.heartbeat > other.priceFeed.heartbeat);
    note("minAnswer", priceFeed.minAnswer < other.priceFeed.minAnswer);
    note("maxAnswer", priceFeed.maxAnswer > other.priceFeed.maxAnswer);
  }

  return [...new Set(found)];
}
