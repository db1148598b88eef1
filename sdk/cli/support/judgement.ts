import { toFunctionSelector } from "viem";
import { formatDuration, formatPercent } from "../../cage/format.ts";
import type { PolicyCageConfig } from "../../policy/types.ts";

/** Contracts that run any call they are given: a pair of theirs opens more than its name says. */
const GENERIC = [
  "execute(bytes,bytes[])",
  "execute(bytes,bytes[],uint256)",
  "execute(address,uint256,bytes)",
  "permitTransferFrom(((address,uint256),uint256,uint256),(address,uint256),address,bytes)",
  "exec(address,address,uint256,address,bytes)",
].map((signature) => ({ signature, selector: toFunctionSelector(signature) }));

const PERMIT2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3";

/** What a cage accepts and an owner should know of. */
export function warningsOf(config: PolicyCageConfig): string[] {
  const warnings: string[] = [];
  if (!config.isSanctionsScreeningOn) warnings.push("sanctions screening is off.");
  if (config.allowArbitraryCalldata) {
    warnings.push(
      "allowArbitraryCalldata lets the golem call every function of an approved protocol that gives no rights away.",
    );
  }
  if (config.strategyWhitelist.length === 0 && !config.allowArbitraryCalldata) {
    warnings.push("the strategy whitelist is empty: the golem can trade nothing but wrap and unwrap.");
  }
  if (config.approvedProtocols.includes(PERMIT2))
    warnings.push("Permit2 is an approved protocol: approve routers, not Permit2.");
  for (const { protocol, selector } of config.strategyWhitelist) {
    const generic = GENERIC.find((entry) => entry.selector === selector);
    if (generic !== undefined)
      warnings.push(`${generic.signature} of ${protocol} runs calls that the whitelist does not see.`);
  }
  for (const { asset, priceFeed } of config.assets) {
    if (priceFeed.heartbeat > 172_800) {
      warnings.push(`the price of ${asset} is believed for ${formatDuration(priceFeed.heartbeat)}.`);
    }
    if (priceFeed.maxAnswer > priceFeed.minAnswer * 10_000n) {
      warnings.push(`the price band of ${asset} spans a factor of more than 10 000.`);
    }
  }
  if (config.maxDrawdownBps > config.drawdownThresholdBps) {
    warnings.push(
      `the soft drawdown limit (${formatPercent(config.maxDrawdownBps)}) lies above the hard one ` +
        `(${formatPercent(config.drawdownThresholdBps)}): it never acts first.`,
    );
  }
  if (config.perTransactionCapUsdc > config.perDayCapUsdc) {
    warnings.push("one execution may spend more than a day: the day's cap binds.");
  }

  return warnings;
}
