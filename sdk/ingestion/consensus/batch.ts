import type { LayerVote, QuarantinedEntry } from "../entry.ts";
import { type Group, groupsOf } from "./groups.ts";
import type { Candidate } from "./layer.ts";

/** What claims say by themselves, without a reasoner. */
export interface ClaimComparison {
  /** Whether what the candidate claims speaks against the knowledge nearest to it, or is what no honest procedure holds. */
  isContested(candidate: Candidate): Promise<boolean>;
  /** Positions of texts that can not both be true, the lower first. */
  contradictions(texts: readonly string[]): readonly (readonly [number, number])[];
}

/** An entry of a batch, with the votes that need no reasoner. */
export type BatchItem = {
  entry: QuarantinedEntry;
  candidate: Candidate;
  votes: readonly LayerVote[];
  isContested: boolean;
};

/** The reasoner is asked about this share of a batch; below `FEWEST` entries that would be nobody. */
const JUDGED_SHARE = 0.1;
export const FEWEST = 20;
/** Of those it is asked about, this share is drawn: what is in doubt first, then at random. */
const DRAWN_SHARE = 0.2;

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

  const doubt = (index: number) => (items[index]?.isContested || contradictions.has(index) ? 0 : 1);
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
 * What layer two says of an entry that no reasoner was asked about: what it said of those that speak for its group. Their pass confirms
 * nothing of this entry: whoever fills a batch can surround anything with what is known to be true.
 */
export function voteOfGroup(index: number, groups: readonly Group[], votes: ReadonlyMap<number, LayerVote>): LayerVote {
  const group = groups.find(({ members }) => members.includes(index));
  const speakers = group === undefined ? [] : [votes.get(group.medoid), votes.get(group.farthest)];
  const isPassed = speakers.length > 0 && speakers.every((speaker) => speaker?.vote === "pass");
  const reason = isPassed
    ? "The two entries that speak for its group pass."
    : "The two entries that speak for its group do not both pass: validate it by itself.";

  return { layer: "consensus", reason, ...(isPassed ? { vote: "pass", isUnconfirmed: true } : { vote: "abstain" }) };
}
