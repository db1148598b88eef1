import type { LayerVote, QuarantinedEntry } from "../../entry.ts";
import { type Group, groupsOf } from "./groups.ts";
import type { Candidate } from "./layer.ts";

/** What claims say by themselves, without a reasoner. */
export type ClaimComparison = {
  /** Layer two's vote as far as the structure of the candidate's claims tells it. */
  compare(candidate: Candidate): Promise<LayerVote>;
  /** Positions of texts that cannot both be true, the lower first. */
  contradictions(texts: readonly string[]): readonly (readonly [number, number])[];
};

/** An entry of a batch, with the votes that need no reasoner. */
export type BatchItem = {
  entry: QuarantinedEntry;
  candidate: Candidate;
  votes: readonly LayerVote[];
  /** What the structure of its claims says. */
  compared: LayerVote;
};

/**
 * The reasoner is asked about this share of a batch: one by one it is not asked about entries that make no statement or have no
 * neighbours, so that a tenth of its calls is less than a tenth of the entries.
 */
const JUDGED_SHARE = 0.06;
/** Smaller deliveries are validated one by one: two that speak for all would be more than a tenth. */
export const FEWEST = 20;
/** Of those it is asked about, this share is drawn: what is in doubt first, then at random. */
const DRAWN_SHARE = 1 / 3;

export type BatchPlan = {
  groups: Group[];
  /** Positions of the entries that a reasoner is asked about. */
  judged: Set<number>;
};

/**
 * Whom to ask the reasoner about: medoid and farthest member of each group (specification 8.1), and some more. At random means by id: ids
 * are drawn here, so nobody who sends a batch knows them.
 */
export function planBatch(items: readonly BatchItem[], contradictions: ReadonlyMap<number, number[]>): BatchPlan {
  const count = Math.floor(JUDGED_SHARE * items.length);
  const drawn = Math.ceil(DRAWN_SHARE * count);
  const groups = groupsOf(
    items.map(({ candidate }) => candidate.vector),
    Math.max(1, Math.floor((count - drawn) / 2)),
  );
  const judged = new Set(groups.flatMap(({ medoid, farthest }) => [medoid, farthest]));

  const doubt = (index: number) => (items[index]?.compared.vote === "fail" || contradictions.has(index) ? 0 : 1);
  const rest = [...items.keys()]
    .filter((index) => !judged.has(index))
    .sort((a, b) => doubt(a) - doubt(b) || ((items[a]?.entry.id ?? "") < (items[b]?.entry.id ?? "") ? -1 : 1));
  for (const index of rest.slice(0, Math.max(0, count - judged.size))) judged.add(index);

  return { groups, judged };
}

/** Who contradicts whom, both ways. */
export function contradictionsOf(pairs: readonly (readonly [number, number])[]): Map<number, number[]> {
  const map = new Map<number, number[]>();
  for (const [a, b] of pairs) {
    map.set(a, [...(map.get(a) ?? []), b]);
    map.set(b, [...(map.get(b) ?? []), a]);
  }

  return map;
}

/** Whether one entry is alone against several that nobody else contradicts. */
export function isOddOneOut(index: number, contradictions: ReadonlyMap<number, number[]>): boolean {
  const against = contradictions.get(index) ?? [];

  return against.length > 1 && against.every((other) => contradictions.get(other)?.length === 1);
}

/**
 * Layer two's vote on an entry that no reasoner was asked about: it passes as confirmed when its own claims are, unconfirmed when those
 * that speak for its group pass, and is in doubt when one of them does not.
 */
export function voteOfGroup(
  index: number,
  { compared }: BatchItem,
  groups: readonly Group[],
  votes: ReadonlyMap<number, LayerVote>,
): LayerVote {
  const group = groups.find(({ members }) => members.includes(index));
  const speakers = group === undefined ? [] : [votes.get(group.medoid), votes.get(group.farthest)];
  const isConfirmed = compared.vote === "pass" && compared.isUnconfirmed !== true;
  const isPassed = speakers.length > 0 && speakers.every((speaker) => speaker?.vote === "pass");
  // A reasoner that says nothing of any entry has not looked, and structure is no reasoner.
  const isSilent = [...votes.values()].every(({ vote }) => vote === "abstain");
  const isDoubted = compared.vote === "fail" || speakers.some((speaker) => speaker?.vote === "fail");
  if (isDoubted || isSilent || !(isConfirmed || isPassed)) {
    return {
      layer: "consensus",
      vote: "abstain",
      reason: "Its own claims or those that speak for its group are in doubt: validate it by itself.",
    };
  }

  return {
    layer: "consensus",
    vote: "pass",
    reason: isConfirmed ? compared.reason : "The two entries that speak for its group pass.",
    ...(!isConfirmed && { isUnconfirmed: true }),
  };
}
