import type { Bearing } from "../../../ports.ts";
import type { Claim } from "../claim.ts";
import type { Quantity } from "../words/quantity.ts";
import { isEpisode } from "./episode.ts";
import { sameMatter } from "./matter.ts";
import { areSwapped, isAltered } from "./order.ts";
import { turnsOfDirection } from "./turns.ts";

/** Why two statements can not both be true, or that they say the same. */
type RelationCode = "same" | "direction" | "polarity" | "roleOrder" | "quantity" | "quantifier" | "effect";

export type Relation = {
  stance: Bearing;
  code?: RelationCode;
  /** How far the two speak of the same thing, 0 to 1. */
  strength: number;
};

const UNRELATED: Relation = { stance: "unrelated", strength: 0 };
/** Below this share of common words two statements are not about the same thing. */
const SAME_MATTER = 0.5;
const ENOUGH_TO_SUPPORT = 0.7;
const NEARLY_SAME = 0.97;
const DENIED_PART = 0.5;
const SAME_SENTENCE = 0.6;

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
  const isSwapped = areSwapped(a, b);
  const turns = direction + Number(isDenied) + Number(isSwapped);
  const isAnotherDay = !isDenied && !isSwapped && (isEpisode(a.sentence) || isEpisode(b.sentence));
  if (turns % 2 === 1 && isAnotherDay) return UNRELATED;
  if (turns % 2 === 1)
    return { stance: "contradicts", code: isSwapped ? "roleOrder" : isDenied ? "polarity" : "direction", strength };
  if (turns === 0 && strength >= SAME_SENTENCE && quantitiesDiffer(a, b))
    return isAnotherDay ? UNRELATED : { stance: "contradicts", code: "quantity", strength };

  if (isAltered(a, b)) return UNRELATED;
  // Passing is the dangerous side: it takes more than failing, and "sometimes" does not support "always".
  const isSupport = strength >= (a.isUniversal === b.isUniversal ? ENOUGH_TO_SUPPORT : NEARLY_SAME);

  return isSupport ? { stance: "supports", code: "same", strength } : UNRELATED;
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
