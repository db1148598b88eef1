import type { LayerVote } from "../entry.ts";
import type { Candidate, ConsensusLayer } from "../judge/consensus/layer.ts";
import seed from "../judge/mental-models.json" with { type: "json" };
import type { Claim } from "./claims/claim.ts";
import { claimsOf } from "./claims/claims.ts";
import { type Relation, relateClaims } from "./claims/relating/relate.ts";
import { outlinesOf, relateToOutline } from "./outline.ts";

/** A relation of DeFi mechanics that is known to hold: a true statement, and the relation in bare words. */
export type MentalModel = {
  id: string;
  statement: string;
  subject: readonly string[];
  object: readonly string[];
  relation: string;
  /** Other true sentences about it. */
  consistent: readonly string[];
};

/** Something a statement can be held against; `concepts`: without one of them the two are about different things. */
type Reference = { id: string; concepts: ReadonlyMap<string, number>; relate(claim: Claim): Relation };

type Found = { id: string; strength: number };

/** Words of less weight are in every second statement of the field. */
const TELLING = 0.3;
/** A conflict of statements that have less in common is too often one of two that are both true: it only keeps the layer silent. */
const LEAST_IN_COMMON = 0.7;

const indexes = new WeakMap<readonly MentalModel[], ReadonlyMap<string, readonly Reference[]>>();

/**
 * Whether an entry agrees with how DeFi is known to work: its statements are compared with the seed relations in `judge/mental-models.json`,
 * with their true sentences and with their bare relation. Models can be wrong in new conditions, so a conflict raises doubt and never
 * rejects by itself (the tally sees to that).
 */
export class MentalModelLayer implements ConsensusLayer {
  readonly layer = "mental_model";
  readonly #models: readonly MentalModel[];

  constructor(models: readonly MentalModel[] = seed) {
    this.#models = models;
  }

  async vote(candidate: Candidate): Promise<LayerVote> {
    let conflict: Found | undefined;
    let support: Found | undefined;
    for (const claim of claimsOf(candidate.content)) {
      const found = this.#compare(claim);
      conflict = stronger(conflict, found.conflict);
      support = stronger(support, found.support);
    }
    if (conflict !== undefined && conflict.strength >= LEAST_IN_COMMON) {
      return this.#vote("fail", `It conflicts with the mental model "${conflict.id}".`, conflict.strength);
    }
    if (support !== undefined && conflict === undefined)
      return this.#vote("pass", `It agrees with the mental model "${support.id}".`, 0);

    return this.#vote("abstain", "No mental model speaks of it.");
  }

  #compare(claim: Claim): { conflict: Found | undefined; support: Found | undefined } {
    let conflict: Found | undefined;
    let support: Found | undefined;
    const seen = new Set<Reference>();
    const references = referencesTo(this.#models);
    for (const concept of claim.weights.keys()) {
      for (const reference of references.get(concept) ?? []) {
        if (seen.has(reference)) continue;
        seen.add(reference);
        const { stance, strength } = reference.relate(claim);
        if (stance === "contradicts") conflict = stronger(conflict, { id: reference.id, strength });
        if (stance === "supports") support = stronger(support, { id: reference.id, strength });
      }
    }
    // What agrees with one model as well as it conflicts with another is no conflict.
    const isOutweighed = conflict !== undefined && support !== undefined && support.strength >= conflict.strength;

    return { conflict: isOutweighed ? undefined : conflict, support };
  }

  #vote(vote: LayerVote["vote"], reason: string, score?: number): LayerVote {
    return { layer: this.layer, vote, reason, ...(score !== undefined && { score: Math.min(1, score) }) };
  }
}

function stronger(a: Found | undefined, b: Found | undefined): Found | undefined {
  return b !== undefined && b.strength > (a?.strength ?? 0) ? b : a;
}

/** By concept. Read when first needed and once for all layers: the seed's sentences take a third of a second. */
function referencesTo(models: readonly MentalModel[]): ReadonlyMap<string, readonly Reference[]> {
  const known = indexes.get(models);
  if (known !== undefined) return known;
  const index = indexed(models.flatMap(referencesOf));
  indexes.set(models, index);

  return index;
}

function referencesOf(model: MentalModel): Reference[] {
  const { id, statement, consistent } = model;
  const sentences = [statement, ...consistent].flatMap(claimsOf).map((known) => ({
    id,
    concepts: known.weights,
    relate: (claim: Claim) => relateClaims(claim, known),
  }));
  const outlines = outlinesOf(model).map((outline) => ({
    id,
    concepts: outline.claim.weights,
    relate: (claim: Claim) => relateToOutline(claim, outline),
  }));

  return [...sentences, ...outlines];
}

function indexed(references: readonly Reference[]): Map<string, Reference[]> {
  const index = new Map<string, Reference[]>();
  for (const reference of references) {
    for (const [concept, weight] of reference.concepts) {
      if (weight <= TELLING) continue;
      const known = index.get(concept);
      if (known === undefined) index.set(concept, [reference]);
      else known.push(reference);
    }
  }

  return index;
}
