import { BPS, DAY } from "../../core/units.ts";
import type { PolicyCageConfig } from "./types.ts";

/** Micro-USDC that every execution may lose beside its share: rounding. */
const ROUNDING_USDC = 10_000n;

/** What an attacker who is the golem can take in one day, in micro-USDC. */
export type WorstDailyLoss = {
  /** Most that can be spent in 24 hours: the daily cap, or what its executions may spend at most. */
  spendableUsdc: bigint;
  /** Bad trades at the bound of each execution. */
  tradeLossUsdc: bigint;
  /** Trades at prices that both legs' feeds have not caught up with. */
  feedDeviationUsdc: bigint;
  /** The cent of rounding, execution by execution. */
  roundingUsdc: bigint;
  /** All three together. */
  stolenUsdc: bigint;
  /** What may instead go to approved recipients: to the owner, unless a wallet of the owner's is stolen too. */
  toRecipientsUsdc: bigint;
  /** The drawdown, in basis points of the mark, after which the breaker ends it. */
  endsAtDrawdownBps: number;
};

export type LossOptions = {
  /** How far an asset's feed may be from its market before it is updated. Default: 50, half a percent, the threshold of major feeds. */
  feedDeviationBps?: number;
};

/**
 * The worst a stolen golem can do in 24 hours under `config`: the daily cap, turned over at the loss each execution may make, plus
 * what stale feeds hide on both legs.
 */
export function worstDailyLoss(config: PolicyCageConfig, options: LossOptions = {}): WorstDailyLoss {
  const { feedDeviationBps = 50 } = options;
  const executions = executionsPerDay(config);
  const byExecutions = executions * config.perTransactionCapUsdc;
  const spendableUsdc = byExecutions < config.perDayCapUsdc ? byExecutions : config.perDayCapUsdc;
  const share = (bps: number) => ceilDivide(spendableUsdc * BigInt(bps), BPS);
  const tradeLossUsdc = share(config.maxTradeLossBps);
  const feedDeviationUsdc = share(2 * feedDeviationBps);
  const roundingUsdc = executions * ROUNDING_USDC;
  const hasRecipients = config.hasMainWallet || config.cladeWallets.length > 0;

  return {
    spendableUsdc,
    tradeLossUsdc,
    feedDeviationUsdc,
    roundingUsdc,
    stolenUsdc: tradeLossUsdc + feedDeviationUsdc + roundingUsdc,
    toRecipientsUsdc: hasRecipients ? spendableUsdc : 0n,
    endsAtDrawdownBps: config.drawdownThresholdBps,
  };
}

/** The first at once, the others an interval apart. */
function executionsPerDay({ maxRebalancesPerDay, minRebalanceInterval }: PolicyCageConfig): bigint {
  const most = BigInt(maxRebalancesPerDay);
  if (minRebalanceInterval === 0) return most;
  // In a window that includes only one of its ends.
  const byInterval = ceilDivide(DAY, BigInt(minRebalanceInterval));

  return byInterval < most ? byInterval : most;
}

function ceilDivide(value: bigint, divisor: bigint): bigint {
  return (value + divisor - 1n) / divisor;
}
