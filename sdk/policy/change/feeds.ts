import type { PriceFeed } from "../model/types.ts";

/** How one setting stands to another: the same, stricter, looser, or neither, because each allows what the other does not. */
export type Order = "same" | "stricter" | "looser" | "unordered";

export function isSameFeed(one: PriceFeed, other: PriceFeed): boolean {
  return orderOfFeeds(one, other) === "same";
}

/**
 * How `to` stands to `from`. A shorter heartbeat and a narrower band refuse more and allow nothing new. Another contract, issuer or dust
 * amount has no order: each moves what assets and shares of NAV are taken to be, either way.
 */
export function orderOfFeeds(from: PriceFeed, to: PriceFeed): Order {
  if (from.feed !== to.feed || from.issuer !== to.issuer || from.dust !== to.dust) return "unordered";
  const steps = [
    Math.sign(from.heartbeat - to.heartbeat),
    from.minAnswer < to.minAnswer ? 1 : from.minAnswer > to.minAnswer ? -1 : 0,
    from.maxAnswer > to.maxAnswer ? 1 : from.maxAnswer < to.maxAnswer ? -1 : 0,
  ];
  const [tightens, loosens] = [steps.includes(1), steps.includes(-1)];
  if (tightens) return loosens ? "unordered" : "stricter";

  return loosens ? "looser" : "same";
}
