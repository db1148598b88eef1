import { DAY_MS } from "../core/units.ts";
import type { Channel, EntryRecord, Provenance } from "./entry.ts";

/** How much of a claimed confidence is left after its way here; inheritance compounds per generation. */
const PROVENANCE_FACTOR: Record<Provenance, number> = {
  inheritance: 0.85,
  clade: 0.8,
  purchased: 0.6,
  cross_user: 0.5,
  commons: 0.5,
  archive: 0.5,
};

/** The most any outside knowledge starts with. */
const INITIAL_CAP: Record<Provenance, number> = {
  inheritance: 0.2,
  clade: 0.2,
  purchased: 0.2,
  cross_user: 0.1,
  commons: 0.1,
  archive: 0.1,
};

/**
 * Days in which outside knowledge has to be confirmed, or it loses half of its confidence. Of the first three as specified. An heir is told
 * by one predecessor, as a member of a clade is by another; what anybody may have written has the week of other users.
 */
const TTL_DAYS: Record<Provenance, number> = {
  inheritance: 14,
  clade: 14,
  purchased: 14,
  cross_user: 7,
  commons: 7,
  archive: 7,
};

const INFLATION_MARGIN = 0.3;

/** What is left of the initial confidence until an entry that passed alone is confirmed. */
export const ALONE_FACTOR = 0.5;

function discounted({ provenance, generation = 1 }: Channel, confidenceBps: number): number {
  const factor = PROVENANCE_FACTOR[provenance] ** (provenance === "inheritance" ? generation : 1);

  return (confidenceBps / 10_000) * factor;
}

/** Confidence an adopted entry starts with, 0 to 1: what is left of the claim, at most the cap of its provenance. */
export function initialConfidence(channel: Channel, confidenceBps: number): number {
  return Math.min(INITIAL_CAP[channel.provenance], discounted(channel, confidenceBps));
}

/** How long what came this way may stand unconfirmed before it loses half of its confidence: milliseconds. */
export function timeToLive(provenance: Provenance): number {
  return TTL_DAYS[provenance] * DAY_MS;
}

/** What an entry is adopted with: half of the initial confidence where one layer alone has passed it. */
export function adoptedConfidence({ validation }: Pick<EntryRecord, "validation">, initial: number): number {
  return validation?.passedAlone === true ? initial * ALONE_FACTOR : initial;
}

/** Whether the claim is far above what its provenance can justify: more than 0.3 over the cap after the discount. */
export function isInflated(channel: Channel, confidenceBps: number): boolean {
  return discounted(channel, confidenceBps) > INITIAL_CAP[channel.provenance] + INFLATION_MARGIN;
}
