import type { Claim, Thing } from "../claim.ts";
import type { Word } from "../words/words.ts";
import { HEAVY } from "./matter.ts";

const QUALITIES: ReadonlySet<string> = new Set(["cost", "delay", "good", "accurate"]);

/** How often things that both speak of go the other way; undefined where nothing can be compared. */
export function turnsOfDirection(a: Claim, b: Claim): number | undefined {
  const pairs: { left: Thing; right: Thing; concept: string; turns: boolean; rank: number }[] = [];
  for (const left of a.things) {
    for (const right of b.things) {
      const best = sharedIdea(left, right);
      if (best !== undefined) pairs.push({ left, right, ...best });
    }
  }
  if (pairs.length === 0) return undefined;

  pairs.sort((x, y) => y.rank - x.rank);
  const used = new Set<Thing>();
  let turns = 0;
  for (const { left, right, concept, turns: isTurned } of pairs) {
    if (used.has(left) || used.has(right)) continue;
    used.add(left).add(right);
    if (isTurned) turns += 1;
    // A risk goes with what it is the risk of: "exposes", "exposed to theft" are one thing said, not two.
    if (concept !== "risk") continue;
    for (const thing of [...a.things, ...b.things]) {
      if (thing.words.some((word) => word.concept === "risk")) used.add(thing);
    }
  }

  return turns;
}

function sharedIdea(left: Thing, right: Thing): { concept: string; turns: boolean; rank: number } | undefined {
  let best: { concept: string; turns: boolean; rank: number } | undefined;
  if (isQualified(left, right) || isQualified(right, left)) return undefined;
  for (const word of left.words) {
    const other = right.words.find(({ concept }) => concept === word.concept);
    if (other === undefined) continue;
    const isOpposed =
      isOpposite(signIn(left, right, word), signIn(right, left, other)) || isGone(left, right, word, other);
    const turns = isOpposed && tells(left, right, word, other);
    const rank = word.weight + (word.end !== other.end ? 1 : 0) + (turns ? 0.1 : 0);
    if (best === undefined || rank > best.rank) best = { concept: word.concept, turns, rank };
  }

  return best;
}

/** "minting is dearer" says nothing of how much is minted. */
function isQualified(thing: Thing, beside: Thing): boolean {
  return (
    thing.words.length > 1 &&
    thing.words.some(({ concept }) => QUALITIES.has(concept) && !beside.words.some((word) => word.concept === concept))
  );
}

/** Whether the difference is more than an attribute beside the bare word: "small swaps" and "swaps" are no opposites. */
function tells(left: Thing, right: Thing, word: Word, other: Word): boolean {
  if (Math.max(word.weight, other.weight) < HEAVY) {
    const areConditions = left.role === "condition" && right.role === "condition";

    return areConditions || (left.stated !== "named" && right.stated !== "named");
  }
  if (word.end !== other.end || left.direction === 0 || right.direction === 0) return true;
  const stated = [left.stated, right.stated];

  return !(stated.includes("named") && stated.includes("attribute"));
}

/** "immune to theft" beside a sentence that only speaks of theft: what the risk does, the theft does. */
function signIn(thing: Thing, beside: Thing, { concept, end }: Word): number {
  if (concept === "risk") return end * thing.direction;
  const risk = thing.words.find((word) => word.concept === "risk");
  if (risk === undefined || beside.words.some((word) => word.concept === "risk")) return end * thing.direction;

  return end * risk.end * thing.direction;
}

/** "losses" and "no losses": what is bad is there, or it is not. */
function isGone(left: Thing, right: Thing, word: Word, other: Word): boolean {
  return word.end === other.end && word.end === -1 && (left.direction === 0) !== (right.direction === 0);
}

function isOpposite(a: number, b: number): boolean {
  return a > 0 !== b > 0;
}
