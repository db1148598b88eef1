import type { Claim } from "../claim.ts";

/** From this weight on a word tells what is spoken of. */
export const HEAVY = 0.55;
const MOST_OF_ONE = 0.6;
const PART_OF_BOTH = 0.38;
const SUBJECT_PART = 0.5;
/** Sentences of common words only have to be the same but for what turns them. */
const ALL_BUT_ALIKE = 0.9;
const LEAST_SHARED = 1.3;

/**
 * How far two statements are about one thing: the share of words, by weight, that they have in common; 0 where the subject of one is not
 * in the other, where each names something of its own, or where they hold under different conditions.
 */
export function sameMatter(a: Claim, b: Claim): number {
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
