import { toFunctionSelector } from "viem";
import { formatDuration, formatPercent } from "../../../core/format.ts";
import type { PolicyCageConfig } from "../../../policy/model/types.ts";

/** Contracts that run any call they are given: a pair of theirs opens more than its name says. */
const GENERIC = [
  "execute(bytes,bytes[])",
  "execute(bytes,bytes[],uint256)",
  "execute(address,uint256,bytes)",
  "permitTransferFrom(((address,uint256),uint256,uint256),(address,uint256),address,bytes)",
  "exec(address,address,uint256,address,bytes)",
].map((signature) => ({ signature, selector: toFunctionSelector(signature) }));

/** Functions that borrow, or take out of a position: what comes in so is neither debt nor a loss to a cage that does not measure it. */
const UNMEASURED = [
  "borrow(address,uint256,uint256,uint16,address)",
  "borrow(uint256)",
  "borrow((address,address,address,address,uint256),uint256,uint256,address,address)",
  "withdraw(address,uint256,address)",
  "withdraw(address,uint256)",
  "withdrawFrom(address,address,address,uint256)",
  "withdrawTo(address,address,uint256)",
  "withdraw((address,address,address,address,uint256),uint256,uint256,address,address)",
  "withdrawCollateral((address,address,address,address,uint256),uint256,address,address)",
  "withdraw(uint256,address,address)",
  "redeem(uint256,address,address)",
  "redeem(uint256)",
  "redeemUnderlying(uint256)",
  "decreaseLiquidity((uint256,uint128,uint256,uint256,uint256))",
  "collect((uint256,address,uint128,uint128))",
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
    const unmeasured = UNMEASURED.find((entry) => entry.selector === selector);
    if (unmeasured !== undefined) {
      warnings.push(
        `${unmeasured.signature} of ${protocol} brings in what the cage does not measure as debt or as a position: ` +
          "unless its receipt token is listed, all of that can leave outside every cap and beyond the worst loss above.",
      );
    }
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
