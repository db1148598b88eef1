import { readable } from "../../judge/procedures/readable.ts";
import { sentencesOf } from "../../judge/procedures/sentences.ts";
import type { Claim, Thing } from "./claim.ts";
import { claimsOfSentence } from "./reading/reading.ts";
import { isTestimony } from "./reading/testimony.ts";
import { type Relation, relateClaims } from "./relating/relate.ts";

/** The sentences of a text that could state something: mere praise of itself does not. */
export function statementsOf(text: string): string[] {
  return sentencesOf(readable(text)).flatMap(({ text: sentence }) => (isTestimony(sentence) ? [] : [sentence]));
}

const STARTS_WITH_PRONOUN = /^\P{L}*(?:it|its|they|their|this|that|these|those|such|he|she)\b/iu;

/** Every statement of a text, in order. "It" and "their" at the start of a sentence stand for the subject of the sentence before. */
export function claimsOf(text: string): Claim[] {
  const claims: Claim[] = [];
  let before: readonly Thing[] = [];
  let previous = "";
  for (const sentence of statementsOf(text)) {
    const found = claimsOfSentence(sentence, before);
    const needsContext = previous !== "" && STARTS_WITH_PRONOUN.test(sentence);
    // By itself "It never falls." says nothing, to a reader as to us.
    claims.push(...(needsContext ? found.map((claim) => ({ ...claim, sentence: `${previous} ${sentence}` })) : found));
    previous = sentence;
    const subject = found.at(-1)?.things.filter(({ role }) => role === "subject");
    if (subject !== undefined && subject.length > 0) before = subject.slice(0, 2);
  }

  return claims;
}

const UNRELATED: Relation = { stance: "unrelated", strength: 0 };
const NEARLY_SAME = 0.97;
/** A statement that finds support is contradicted only by one that is nearly as much about the same thing. */
const RIVAL = 0.7;

/** How text `a` and text `b` stand to each other. Symmetric; a text does not contradict itself. */
export function relate(a: string, b: string): Relation {
  const [one, other] = [claimsOf(a), claimsOf(b)];
  const relations = [relateTo(one, other), relateTo(other, one)];
  relations.sort((x, y) => rank(y) - rank(x));

  return relations[0] ?? UNRELATED;
}

function rank({ stance, strength }: Relation): number {
  return strength + (stance === "contradicts" ? 2 : stance === "supports" ? 1 : 0);
}

/** What `known` says to the statements `claims`: against one of them, else for one of them, else nothing. */
export function relateTo(claims: readonly Claim[], known: readonly Claim[]): Relation {
  let strongest = UNRELATED;
  for (const claim of claims) {
    let [support, conflict] = [UNRELATED, UNRELATED];
    for (const other of known) {
      const relation = relateClaims(claim, other);
      if (relation.stance === "supports" && relation.strength > support.strength) support = relation;
      if (relation.stance === "contradicts" && relation.strength > conflict.strength) conflict = relation;
    }
    // Who says a sentence is not against it, whatever else is said around it.
    const isConflict =
      conflict.strength > 0 && support.strength < NEARLY_SAME && conflict.strength >= RIVAL * support.strength;
    const relation = isConflict ? conflict : support;
    if (rank(relation) > rank(strongest)) strongest = relation;
  }

  return strongest;
}
