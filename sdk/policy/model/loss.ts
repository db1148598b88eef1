import type { Address } from "viem";
import { BPS, DAY } from "../../core/units.ts";
import type { AssetConfig, PolicyCageConfig } from "./types.ts";

/** Micro-USDC that every execution may lose beside its share: rounding. */
const ROUNDING_USDC = 10_000n;

/** Micro-USDC that a dust amount is worth at most, at the price of the moment at which it is set. */
const DUST_USDC = 1_000_000n;

/** The threshold at which the feeds of major assets report: half a percent. */
const USUAL_DEVIATION_BPS = 50;

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
  /**
   * What each execution may add to assets that are never bought, up to their dust, should they be worth nothing: a dollar each, times what a
   * price may have risen inside its band since the dust was set. What leaves unnamed is refused, and costs nothing.
   */
  dustUsdc: bigint;
  /** All of it together. */
  stolenUsdc: bigint;
  /** How much of it in a single transaction, before anybody can halt: all, where nothing must lie between two executions. */
  atOnceUsdc: bigint;
  /** What may instead go to approved recipients: to the owner, unless a wallet of the owner's is stolen too. */
  toRecipientsUsdc: bigint;
  /** The drawdown, in basis points of the mark, after which the breaker ends it. */
  endsAtDrawdownBps: number;
  /** Feeds that nobody named a deviation of: half a percent is assumed, and a feed that somebody can move deviates by its whole band. */
  assumedFeeds: readonly Address[];
};

export type LossOptions = {
  /** How far each feed may be from its market before it is updated, in basis points, by the feed's address. */
  feedDeviationsBps?: Readonly<Record<Address, number>>;
};

/**
 * The worst a stolen golem can do in 24 hours under `config`: the daily cap, turned over at the loss each execution may make, plus
 * what stale feeds hide on both legs, plus what dust hides.
 */
export function worstDailyLoss(config: PolicyCageConfig, options: LossOptions = {}): WorstDailyLoss {
  const { feedDeviationsBps = {} } = options;
  const executions = executionsPerDay(config);
  const feeds = [...new Set(config.assets.map(({ priceFeed }) => priceFeed.feed))];
  const deviations = feeds.map((feed) => feedDeviationsBps[feed] ?? USUAL_DEVIATION_BPS).sort((a, b) => b - a);
  // The two that are furthest behind, in opposite directions; what one feed prices alone is traded within it.
  const [first = 0, second = first] = deviations;
  const deviationBps = BigInt(first + second);
  const lossOf = (count: bigint) => {
    const byExecutions = count * config.perTransactionCapUsdc;
    const spendableUsdc = byExecutions < config.perDayCapUsdc ? byExecutions : config.perDayCapUsdc;
    const tradeLossUsdc = shareOf(spendableUsdc, BigInt(config.maxTradeLossBps));
    const feedDeviationUsdc = shareOf(spendableUsdc, deviationBps);
    const roundingUsdc = count * ROUNDING_USDC;
    const dust = count * config.assets.reduce((sum, row) => sum + hiddenByDust(row), 0n);
    // It is bought, and what is bought is charged.
    const dustUsdc = dust < spendableUsdc ? dust : spendableUsdc;
    const stolenUsdc = tradeLossUsdc + feedDeviationUsdc + roundingUsdc + dustUsdc;

    return { spendableUsdc, tradeLossUsdc, feedDeviationUsdc, roundingUsdc, dustUsdc, stolenUsdc };
  };
  const loss = lossOf(executions);
  const hasRecipients = config.hasMainWallet || config.cladeWallets.length > 0;

  return {
    ...loss,
    atOnceUsdc: lossOf(config.minRebalanceInterval === 0 ? executions : 1n).stolenUsdc,
    toRecipientsUsdc: hasRecipients ? loss.spendableUsdc : 0n,
    endsAtDrawdownBps: config.drawdownThresholdBps,
    assumedFeeds: feeds.filter((feed) => feedDeviationsBps[feed] === undefined),
  };
}

/** What one execution may add to an asset that is never bought. It is charged and counts for nothing in NAV: bounded here as if no rule saw it. */
function hiddenByDust({ isSellOnly, priceFeed: { dust, minAnswer, maxAnswer } }: AssetConfig): bigint {
  return isSellOnly && dust > 0n ? ceilDivide(DUST_USDC * maxAnswer, minAnswer) : 0n;
}

/** The first at once, the others an interval apart. */
function executionsPerDay({ maxRebalancesPerDay, minRebalanceInterval }: PolicyCageConfig): bigint {
  const most = BigInt(maxRebalancesPerDay);
  if (minRebalanceInterval === 0) return most;
  // In a window that includes only one of its ends.
  const byInterval = ceilDivide(DAY, BigInt(minRebalanceInterval));

  return byInterval < most ? byInterval : most;
}

function shareOf(value: bigint, bps: bigint): bigint {
  return ceilDivide(value * bps, BPS);
}

function ceilDivide(value: bigint, divisor: bigint): bigint {
  return (value + divisor - 1n) / divisor;
}
