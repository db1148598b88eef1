import { NUMERIC_FIELDS, RULES } from "../model/rules.ts";
import type { PolicyCageConfig } from "../model/types.ts";
import { strategyKey } from "../model/violations.ts";

const ZERO = "0x0000000000000000000000000000000000000000";

/**
 * The loosest policy that is no looser than either of two: what both allow. What is neither stricter nor looser than something else
 * (price feeds, the sanctions oracle, the window of the soft limit) is as in `current`.
 */
export function meet(current: PolicyCageConfig, next: PolicyCageConfig): PolicyCageConfig {
  const nextAssets = new Map(next.assets.map((row) => [row.asset, row]));
  const nextPairs = new Set(next.strategyWhitelist.map(strategyKey));
  const sharesMainWallet = current.hasMainWallet && next.hasMainWallet && current.mainWallet === next.mainWallet;

  return {
    ...current,
    ...stricterNumbers(current, next),
    assets: current.assets.flatMap((row) => {
      const other = nextAssets.get(row.asset);

      return other === undefined ? [] : [{ ...row, isSellOnly: row.isSellOnly || other.isSellOnly }];
    }),
    approvedProtocols: current.approvedProtocols.filter((protocol) => next.approvedProtocols.includes(protocol)),
    strategyWhitelist: current.strategyWhitelist.filter((pair) => nextPairs.has(strategyKey(pair))),
    allowArbitraryCalldata: current.allowArbitraryCalldata && next.allowArbitraryCalldata,
    hasMainWallet: sharesMainWallet,
    mainWallet: sharesMainWallet ? current.mainWallet : ZERO,
    cladeWallets: current.cladeWallets.filter((wallet) => next.cladeWallets.includes(wallet)),
    isSanctionsScreeningOn: current.isSanctionsScreeningOn || next.isSanctionsScreeningOn,
  };
}

function stricterNumbers(current: PolicyCageConfig, next: PolicyCageConfig): Partial<PolicyCageConfig> {
  const stricter = NUMERIC_FIELDS.map((field) => {
    const isNextStricter = {
      less: next[field] < current[field],
      more: next[field] > current[field],
      neither: false,
    }[RULES[field].stricter];

    return [field, (isNextStricter ? next : current)[field]];
  });

  return Object.fromEntries(stricter);
}
