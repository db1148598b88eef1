import type { Claim, Thing } from "../claim.ts";
import { AUXILIARIES, CONDITIONS, DOWN, UP } from "../words/grammar.ts";
import { meaningOf } from "../words/words.ts";
import { HEAVY } from "./matter.ts";

/** Words of grammar, in whose place others of grammar stand. */
const GRAMMAR = [
  CONDITIONS,
  AUXILIARIES,
  new Set(["of", "for", "in", "on", "at", "by", "to", "with", "from", "the", "a", "an", "and"]),
];
/** Whose sides can change places. */
const SYMMETRIC: ReadonlySet<string> = new Set(["correlate", "diverge", "equal", "differ", "effect", "balanced"]);
const MOSTLY_SHARED = 0.5;
/** Only what says the same words in another order has changed places. */
const REORDERED = 0.85;

/** Whether two statements say the same of each other's parties: who gives takes, what is above is below. */
export function areSwapped(a: Claim, b: Claim): boolean {
  return (
    areSwappedParties(a.transfer, b.transfer) || areSwappedSides(a.compared, b.compared) || areSwappedSubjects(a, b)
  );
}

function areSwappedParties(a: Claim["transfer"], b: Claim["transfer"]): boolean {
  if (a === undefined || b === undefined) return false;

  return crosses(a.giver, a.taker, b.giver, b.taker);
}

function areSwappedSides(a: Claim["compared"], b: Claim["compared"]): boolean {
  if (a === undefined || b === undefined) return false;

  const isCrossed = crosses(a.left, a.right, b.left, b.right);

  return a.side !== undefined && b.side !== undefined && a.side !== b.side ? !isCrossed : isCrossed;
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
export function isAltered(a: Claim, b: Claim): boolean {
  const [one, other] = [wordsOf(a), wordsOf(b)];
  if (sharedOf(one, other) < MOSTLY_SHARED * Math.min(one.size, other.size)) return false;
  const ofOne = [...one].filter((word) => !other.has(word));
  const ofOther = [...other].filter((word) => !one.has(word));
  const isNew = (word: string, rest: readonly string[]) =>
    /^\p{L}/u.test(word) &&
    !GRAMMAR.some((list) => list.has(word)) &&
    !(isDirected(word) && rest.some(isDirected)) &&
    !rest.some((beside) => meaningOf(beside).concept === meaningOf(word).concept);

  return ofOne.some((word) => isNew(word, ofOther)) && ofOther.some((word) => isNew(word, ofOne));
}

/** Words that only join others, or refer to them. */
const ADDS_NOTHING: ReadonlySet<string> = new Set(
  "that this these those it its they their them also then there so thus hence therefore which who very just do does did has have had".split(
    " ",
  ),
);

/**
 * Whether the sentence of `statement` has a word or number whose like is in none of the sentences of `known`: then it says more than
 * they do ("only on testnets", "rarely", "is a misconception"), and what it says more may turn it.
 */
export function saysMore(statement: Claim, known: readonly Claim[]): boolean {
  const words = new Set(known.flatMap((claim) => [...wordsOf(claim)]));
  const concepts = new Set([...words].map((word) => meaningOf(word).concept));

  return [...wordsOf(statement)].some(
    (word) =>
      /^[\p{L}\d]/u.test(word) &&
      !words.has(word) &&
      !ADDS_NOTHING.has(word) &&
      !GRAMMAR.some((list) => list.has(word)) &&
      !concepts.has(meaningOf(word).concept),
  );
}

/** A direction in the place of another has been weighed. */
function isDirected(word: string): boolean {
  return UP.has(word) || DOWN.has(word);
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

function wordsOf({ wording }: Claim): Set<string> {
  return new Set(wording.split(" "));
}

function sharedOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  return [...one].filter((word) => other.has(word)).length;
}
