import type { Claim } from "./claims/claim.ts";
import { claimsOfSentence } from "./claims/reading/reading.ts";
import { compareMeanings, type Relation } from "./claims/relating/relate.ts";

/** A model's relation as a bare sentence of one of its subjects and one of its objects ("utilisation increases borrow rate"). */
export type Outline = { claim: Claim; subject: ReadonlyMap<string, number>; object: ReadonlyMap<string, number> };

/** The relations that say which way things go. */
const VERBS: ReadonlyMap<string, string> = new Map([
  ["increases", "increases the"],
  ["decreases", "decreases the"],
  ["ambiguous", "has an ambiguous effect on the"],
  ["excludes", "prevents the"],
  ["causes", "causes the"],
]);
const SPOKEN_OF = 0.75;
const LEAST_WEIGHT = 0.9;
const PART_OF_CLAIM = 0.41;
const UNRELATED: Relation = { stance: "unrelated", strength: 0 };

/** The outlines of a model: each subject with each object. Relations that do not say which way things go have none. */
export function outlinesOf(model: {
  relation: string;
  subject: readonly string[];
  object: readonly string[];
}): Outline[] {
  const verb = VERBS.get(model.relation);
  if (verb === undefined) return [];

  return model.subject.flatMap((subject) =>
    model.object.flatMap((object) => {
      const [claim] = claimsOfSentence(`The ${subject} ${verb} ${object}.`);
      const outline = { subject: conceptsOf(subject), object: conceptsOf(object) };

      return claim === undefined ||
        (weightOf(outline.subject) < LEAST_WEIGHT && weightOf(outline.object) < LEAST_WEIGHT)
        ? []
        : [{ claim, ...outline }];
    }),
  );
}

/** How a statement stands to a model's outline: it must speak of its subject and of its object. */
export function relateToOutline(claim: Claim, { claim: outline, subject, object }: Outline): Relation {
  // What holds under a condition of its own is not what holds in general.
  const isConditional = claim.things.some(
    ({ role, words }) =>
      role === "condition" && !words.some(({ concept }) => subject.has(concept) || object.has(concept)),
  );
  if (claim.isAdvice || isConditional || !speaksOf(claim, subject) || !speaksOf(claim, object)) return UNRELATED;
  let shared = 0;
  let total = 0;
  for (const [concept, weight] of claim.weights) {
    total += weight;
    if (subject.has(concept) || object.has(concept)) shared += weight;
  }
  const part = shared / total;

  // Where it goes either way, only who says "always" is wrong.
  if (outline.effect === "either" && !claim.isUniversal && claim.effect === undefined) return UNRELATED;

  return part < PART_OF_CLAIM ? UNRELATED : compareMeanings(claim, outline, part);
}

function speaksOf({ weights }: Claim, phrase: ReadonlyMap<string, number>): boolean {
  let shared = 0;
  for (const [concept, weight] of phrase) if (weights.has(concept)) shared += weight;

  return shared >= SPOKEN_OF * weightOf(phrase);
}

function weightOf(phrase: ReadonlyMap<string, number>): number {
  let total = 0;
  for (const weight of phrase.values()) total += weight;

  return total;
}

function conceptsOf(phrase: string): Map<string, number> {
  const [claim] = claimsOfSentence(`The ${phrase} is there.`);

  return new Map([...(claim?.weights ?? [])]);
}
