import type { Claim, Thing } from "./claim.ts";
import { AUXILIARIES, CONDITIONS, DOWN, UP } from "./grammar.ts";
import type { Quantity } from "./quantity.ts";
import { meaningOf, type Word } from "./words.ts";

/** Why two statements can not both be true, or that they say the same. */
type RelationCode = "same" | "direction" | "polarity" | "roleOrder" | "quantity" | "quantifier" | "effect";

export type Relation = {
  stance: "supports" | "contradicts" | "unrelated";
  code?: RelationCode;
  /** How far the two speak of the same thing, 0 to 1. */
  strength: number;
};

const UNRELATED: Relation = { stance: "unrelated", strength: 0 };
/** Below this share of common words two statements are not about the same thing. */
const SAME_MATTER = 0.5;
const MOST_OF_ONE = 0.6;
const PART_OF_BOTH = 0.38;
const SUBJECT_PART = 0.5;
const ENOUGH_TO_SUPPORT = 0.7;
const NEARLY_SAME = 0.97;
/** Words whose meaning is read: another in their place has been weighed. */
const READ = [UP, DOWN, CONDITIONS, AUXILIARIES];
/** Whose sides can change places. */
const SYMMETRIC: ReadonlySet<string> = new Set(["correlate", "diverge", "equal", "differ", "effect", "balanced"]);
const MOSTLY_SHARED = 0.7;
/** Only what says the same words in another order has changed places. */
const REORDERED = 0.85;
const QUALITIES: ReadonlySet<string> = new Set(["cost", "delay", "good", "accurate"]);
/** Sentences of common words only have to be the same but for what turns them. */
const ALL_BUT_ALIKE = 0.9;
const DENIED_PART = 0.5;
const SAME_SENTENCE = 0.6;
const HEAVY = 0.55;
const LEAST_SHARED = 1.3;

/**
 * How statement `b` stands to `a`. Both must speak of the same thing; then every difference of direction, denial or order turns the
 * meaning once, and two turns cancel ("lower tolerance protects" says what "higher tolerance exposes" says). Symmetric; a statement never
 * contradicts itself.
 */
export function relateClaims(a: Claim, b: Claim): Relation {
  if (a.wording === b.wording) return { stance: "supports", code: "same", strength: 1 };
  if (a.isAdvice !== b.isAdvice) return UNRELATED;
  const strength = sameMatter(a, b);

  return strength < SAME_MATTER ? UNRELATED : compareMeanings(a, b, strength);
}

/** What is left once two statements are known to be about one thing. */
export function compareMeanings(a: Claim, b: Claim, strength: number): Relation {
  const conflict = hardConflict(a, b);
  if (conflict !== undefined) return { stance: "contradicts", code: conflict, strength };

  const direction = turnsOfDirection(a, b);
  if (direction === undefined) return UNRELATED;
  const isDenied = a.isDenied !== b.isDenied;
  if (a.isAdvice && !(a.isUniversal || b.isUniversal || isDenied)) return UNRELATED;
  if (isDenied && !deniesIt(a.isDenied ? a : b, a.isDenied ? b : a)) return UNRELATED;
  const isSwapped =
    areSwapped(a.transfer, b.transfer) || areSwappedSides(a.compared, b.compared) || areSwappedSubjects(a, b);
  const turns = direction + Number(isDenied) + Number(isSwapped);
  if (turns % 2 === 1)
    return { stance: "contradicts", code: isSwapped ? "roleOrder" : isDenied ? "polarity" : "direction", strength };
  if (turns === 0 && strength >= SAME_SENTENCE && quantitiesDiffer(a, b))
    return { stance: "contradicts", code: "quantity", strength };

  if (isAltered(a, b)) return UNRELATED;
  // Passing is the dangerous side: it takes more than failing, and "sometimes" does not support "always".
  const isSupport = strength >= (a.isUniversal === b.isUniversal ? ENOUGH_TO_SUPPORT : NEARLY_SAME);

  return isSupport ? { stance: "supports", code: "same", strength } : UNRELATED;
}

/**
 * How far two statements are about one thing: the share of words, by weight, that they have in common; 0 where the subject of one is not
 * in the other, where each names something of its own, or where they hold under different conditions.
 */
function sameMatter(a: Claim, b: Claim): number {
  let shared = 0;
  let heavy = 0;
  for (const [concept, weight] of a.weights) {
    if (!b.weights.has(concept)) continue;
    shared += weight;
    if (weight >= HEAVY) heavy += 1;
  }
  const covered = [shared / totalOf(a), shared / totalOf(b)];
  if ((heavy < 2 || shared < LEAST_SHARED) && Math.min(...covered) < ALL_BUT_ALIKE) return 0;
  if (Math.max(...covered) < MOST_OF_ONE || Math.min(...covered) < PART_OF_BOTH) return 0;
  if (!subjectIsIn(a, b) || !subjectIsIn(b, a) || namesDiffer(a, b) || conditionsDiffer(a, b)) return 0;

  return 0.6 * Math.max(...covered) + 0.4 * Math.min(...covered);
}

function conditionsDiffer(a: Claim, b: Claim): boolean {
  const [one, other] = [conditionOf(a), conditionOf(b)];

  return (
    one.length > 0 &&
    other.length > 0 &&
    !one.some((concept) => b.weights.has(concept)) &&
    !other.some((concept) => a.weights.has(concept))
  );
}

function conditionOf({ things }: Claim): string[] {
  return things.flatMap(({ role, words }) =>
    role === "condition" ? words.filter(({ weight }) => weight >= HEAVY).map(({ concept }) => concept) : [],
  );
}

function totalOf({ weights }: Claim): number {
  let total = 0;
  for (const weight of weights.values()) total += weight;

  return total;
}

function subjectIsIn(a: Claim, b: Claim): boolean {
  const subject = a.things.find(({ role }) => role === "subject") ?? a.things[0];
  if (subject === undefined) return false;
  let [shared, total, heaviest, heaviestShared] = [0, 0, 0, 0];
  for (const { concept, weight } of subject.words) {
    total += weight;
    heaviest = Math.max(heaviest, weight);
    if (!b.weights.has(concept)) continue;
    shared += weight;
    heaviestShared = Math.max(heaviestShared, weight);
  }

  return shared > SUBJECT_PART * total && (heaviestShared >= HEAVY || heaviest < HEAVY);
}

/** Each names something the other does not: they are about different things. */
function namesDiffer(a: Claim, b: Claim): boolean {
  return hasOwnName(a, b) && hasOwnName(b, a);
}

function hasOwnName(a: Claim, b: Claim): boolean {
  if (a.identifiers.some((name) => !b.identifiers.includes(name))) return true;

  return a.things.some(({ words }) => words.some(({ isName, concept }) => isName && !b.weights.has(concept)));
}

function hardConflict(a: Claim, b: Claim): RelationCode | undefined {
  if (
    a.effect !== b.effect &&
    (a.effect === "none" || b.effect === "none" || (a.effect === "either" ? hasDirection(b) : hasDirection(a)))
  )
    return "effect";
  if (a.disregarded.length > 0 !== b.disregarded.length > 0) {
    const [free, bound] = a.disregarded.length > 0 ? [a, b] : [b, a];
    if (
      bound.things.some(
        ({ role, words }) => role === "condition" && words.some(({ concept }) => free.disregarded.includes(concept)),
      )
    )
      return "quantifier";
  }

  return undefined;
}

function hasDirection({ things, isUniversal }: Claim): boolean {
  return isUniversal || things.some(({ role, words }) => role === "object" && words.length > 0);
}

/** What the one denies is what the other says, rather than something else of the same subject. */
function deniesIt(denial: Claim, other: Claim): boolean {
  const objects = denial.things.filter(({ role }) => role === "object").flatMap(({ words }) => words);
  let [shared, total] = [0, 0];
  for (const { concept, weight } of objects) {
    total += weight;
    if (other.weights.has(concept)) shared += weight;
  }

  return total === 0 || shared >= DENIED_PART * total;
}

/** How often things that both speak of go the other way; undefined where nothing can be compared. */
function turnsOfDirection(a: Claim, b: Claim): number | undefined {
  const pairs: { left: Thing; right: Thing; turns: boolean; rank: number }[] = [];
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
  for (const { left, right, turns: isTurned } of pairs) {
    if (used.has(left) || used.has(right)) {
      used.add(left).add(right);
      continue;
    }
    used.add(left).add(right);
    if (isTurned) turns += 1;
  }

  return turns;
}

function sharedIdea(left: Thing, right: Thing): { turns: boolean; rank: number } | undefined {
  let best: { turns: boolean; rank: number } | undefined;
  if (isQualified(left, right) || isQualified(right, left)) return undefined;
  for (const word of left.words) {
    const other = right.words.find(({ concept }) => concept === word.concept);
    if (other === undefined) continue;
    const turns = isOpposite(signIn(left, right, word), signIn(right, left, other)) && tells(left, right, word, other);
    const rank = word.weight + (word.end !== other.end ? 1 : 0) + (turns ? 0.1 : 0);
    if (best === undefined || rank > best.rank) best = { turns, rank };
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

function isOpposite(a: number, b: number): boolean {
  return a > 0 !== b > 0;
}

function areSwapped(a: Claim["transfer"], b: Claim["transfer"]): boolean {
  if (a === undefined || b === undefined) return false;

  return crosses(a.giver, a.taker, b.giver, b.taker);
}

function areSwappedSides(a: Claim["compared"], b: Claim["compared"]): boolean {
  if (a === undefined || b === undefined) return false;

  const isCrossed = crosses(a.left, a.right, b.left, b.right);

  return a.side !== undefined && b.side !== undefined && a.side !== b.side ? !isCrossed : isCrossed;
}

function crosses(a1: readonly string[], a2: readonly string[], b1: readonly string[], b2: readonly string[]): boolean {
  const own = (x: readonly string[], y: readonly string[]) => x.filter((concept) => !y.includes(concept));
  const [left, right, otherLeft, otherRight] = [own(a1, a2), own(a2, a1), own(b1, b2), own(b2, b1)];
  const meet = (x: readonly string[], y: readonly string[]) => x.some((concept) => y.includes(concept));

  return (
    (meet(left, otherRight) && meet(right, otherLeft)) ||
    (meet(left, otherRight) && !meet(left, otherLeft) && !meet(right, otherRight)) ||
    (meet(right, otherLeft) && !meet(left, otherLeft) && !meet(right, otherRight))
  );
}

/** "searchers profit at the expense of providers": whoever does it and whoever bears it have changed places. */
function areSwappedSubjects(a: Claim, b: Claim): boolean {
  const [one, other] = [wordsOf(a), wordsOf(b)];
  if (sharedOf(one, other) < REORDERED * Math.max(one.size, other.size)) return false;
  if (a.transfer !== undefined || b.transfer !== undefined || a.compared !== undefined || b.compared !== undefined)
    return false;
  const inRole = ({ things }: Claim, role: Thing["role"]) =>
    new Set(
      things.flatMap((thing) =>
        thing.role === role ? thing.words.filter(({ weight }) => weight >= HEAVY).map(({ concept }) => concept) : [],
      ),
    );
  const [subjectA, objectA, subjectB, objectB] = [
    inRole(a, "subject"),
    inRole(a, "object"),
    inRole(b, "subject"),
    inRole(b, "object"),
  ];
  if (subjectA.size === 0 || subjectB.size === 0 || [...subjectA].some((concept) => subjectB.has(concept)))
    return false;
  if ([...objectA, ...objectB].some((concept) => SYMMETRIC.has(concept))) return false;

  return (
    [...subjectA].every((concept) => objectB.has(concept)) &&
    [...subjectB].every((concept) => objectA.has(concept)) &&
    objectA.size > subjectB.size &&
    objectB.size > subjectA.size
  );
}

/** Nearly the same words with some put in the place of others: whether they mean the same is more than we can tell. */
function isAltered(a: Claim, b: Claim): boolean {
  const [one, other] = [wordsOf(a), wordsOf(b)];
  if (sharedOf(one, other) < MOSTLY_SHARED * Math.min(one.size, other.size)) return false;
  const ofOne = [...one].filter((word) => !other.has(word));
  const ofOther = [...other].filter((word) => !one.has(word));
  const isNew = (word: string, rest: readonly string[]) =>
    /^\p{L}/u.test(word) &&
    !READ.some((list) => list.has(word)) &&
    !rest.some((beside) => meaningOf(beside).concept === meaningOf(word).concept);

  return ofOne.some((word) => isNew(word, ofOther)) && ofOther.some((word) => isNew(word, ofOne));
}

function wordsOf({ wording }: Claim): Set<string> {
  return new Set(wording.split(" "));
}

function sharedOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  return [...one].filter((word) => other.has(word)).length;
}

function quantitiesDiffer(a: Claim, b: Claim): boolean {
  if (isAtOnce(a) !== isAtOnce(b) && [...a.quantities, ...b.quantities].some(({ unit }) => unit === "seconds"))
    return true;

  return a.quantities.some((one) => {
    const same = b.quantities.filter(({ unit }) => unit === one.unit);

    return same.length > 0 && !same.some((other) => agree(one, other));
  });
}

/** In one transaction: no time passes. */
function isAtOnce({ weights }: Claim): boolean {
  return weights.has("atomic");
}

function agree(one: Quantity, other: Quantity): boolean {
  return Math.abs(one.value - other.value) <= 0.02 * Math.max(Math.abs(one.value), Math.abs(other.value));
}
