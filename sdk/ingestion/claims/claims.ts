import { type Claim, claimsOfSentence, type Thing } from "./claim.ts";
import { type Relation, relateClaims } from "./relate.ts";
import { sentencesOf } from "./sentences.ts";

/** Every statement of a text, in order. "It" and "their" at the start of a sentence stand for the subject of the sentence before. */
export function claimsOf(text: string): Claim[] {
  const claims: Claim[] = [];
  let before: readonly Thing[] = [];
  for (const { text: sentence } of sentencesOf(text)) {
    const found = claimsOfSentence(sentence, before);
    claims.push(...found);
    const subject = found.at(-1)?.things.filter(({ role }) => role === "subject");
    if (subject !== undefined && subject.length > 0) before = subject.slice(0, 2);
  }

  return claims;
}

/** A relation between texts, with the statements of each that it rests on. */
export type TextRelation = Relation & { of?: Claim; against?: Claim };

const NEARLY_SAME = 0.97;
/** A statement that finds support is contradicted only by one that is nearly as much about the same thing. */
const RIVAL = 0.7;

/** How text `a` and text `b` stand to each other. Symmetric in contradiction; a text does not contradict itself. */
export function relate(a: string, b: string): TextRelation {
  return relateAll(claimsOf(a), claimsOf(b));
}

export function relateAll(a: readonly Claim[], b: readonly Claim[]): TextRelation {
  const relations = a.map((one) => b.map((other) => relateClaims(one, other)));
  const columns = b.map((_, at) => relations.map((row) => row[at] ?? UNRELATED));
  const bestOf = (row: readonly Relation[]) =>
    Math.max(0, ...row.map(({ stance, strength }) => (stance === "supports" ? strength : 0)));
  const supportOfA = relations.map(bestOf);
  const supportOfB = columns.map(bestOf);
  let support: TextRelation = UNRELATED;
  let contradiction: TextRelation = UNRELATED;
  for (const [row, list] of relations.entries()) {
    for (const [column, relation] of list.entries()) {
      const found = { ...relation, ...of(a[row], b[column]) };
      if (relation.stance === "supports" && relation.strength > support.strength) support = found;
      if (relation.stance !== "contradicts" || relation.strength <= contradiction.strength) continue;
      const rival = Math.min(supportOfA[row] ?? 0, supportOfB[column] ?? 0);
      if (rival < NEARLY_SAME && relation.strength >= RIVAL * rival) contradiction = found;
    }
  }

  return contradiction.stance === "contradicts" ? contradiction : support;
}

const UNRELATED: Relation = { stance: "unrelated", strength: 0 };

function of(claim: Claim | undefined, other: Claim | undefined): { of?: Claim; against?: Claim } {
  return { ...(claim !== undefined && { of: claim }), ...(other !== undefined && { against: other }) };
}
