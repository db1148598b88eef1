import type { Claim } from "../claims/claim.ts";
import { claimsOf } from "../claims/claims.ts";
import { relateClaims } from "../claims/relate.ts";
import type { LayerVote } from "../entry.ts";
import type { Candidate, ConsensusLayer } from "./layer.ts";
import seed from "./mental-models.json" with { type: "json" };

/** A relation of DeFi mechanics that is known to hold, with where it is from. */
export type MentalModel = {
  id: string;
  statement: string;
  consistent: readonly string[];
  source: { title: string; url: string };
};

type Reference = { id: string; claim: Claim };

/**
 * Whether an entry agrees with how DeFi is known to work: its statements are compared with the seed relations in `mental-models.json`.
 * Models can be wrong in new conditions, so a conflict raises doubt and never rejects by itself (the tally sees to that).
 */
export class MentalModelLayer implements ConsensusLayer {
  readonly layer = "mental_model";
  readonly #references: ReadonlyMap<string, readonly Reference[]>;

  constructor(models: readonly MentalModel[] = seed) {
    this.#references = indexed(models.flatMap(referencesOf));
  }

  async vote(candidate: Candidate): Promise<LayerVote> {
    let conflict: { id: string; strength: number } | undefined;
    let support: { id: string; strength: number } | undefined;
    for (const claim of claimsOf(candidate.content)) {
      const found = this.#compare(claim);
      if (found.conflict !== undefined && found.conflict.strength > (conflict?.strength ?? 0))
        conflict = found.conflict;
      if (found.support !== undefined && found.support.strength > (support?.strength ?? 0)) support = found.support;
    }
    if (conflict !== undefined)
      return {
        layer: this.layer,
        vote: "fail",
        score: conflict.strength,
        reason: `It conflicts with the mental model "${conflict.id}".`,
      };
    if (support !== undefined)
      return { layer: this.layer, vote: "pass", score: 0, reason: `It agrees with the mental model "${support.id}".` };

    return { layer: this.layer, vote: "abstain", reason: "No mental model speaks of it." };
  }

  #compare(claim: Claim): { conflict?: { id: string; strength: number }; support?: { id: string; strength: number } } {
    let conflict: { id: string; strength: number } | undefined;
    let support: { id: string; strength: number } | undefined;
    const seen = new Set<Reference>();
    for (const concept of claim.weights.keys()) {
      for (const reference of this.#references.get(concept) ?? []) {
        if (seen.has(reference)) continue;
        seen.add(reference);
        const { stance, strength } = relateClaims(claim, reference.claim);
        if (stance === "contradicts" && strength > (conflict?.strength ?? 0)) conflict = { id: reference.id, strength };
        if (stance === "supports" && strength > (support?.strength ?? 0)) support = { id: reference.id, strength };
      }
    }
    // A statement that agrees with one model better than it conflicts with another is no conflict.
    const isOutweighed = conflict !== undefined && support !== undefined && support.strength > conflict.strength;

    return { ...(conflict !== undefined && !isOutweighed && { conflict }), ...(support !== undefined && { support }) };
  }
}

function referencesOf({ id, statement, consistent }: MentalModel): Reference[] {
  return [statement, ...consistent].flatMap(claimsOf).map((claim) => ({ id, claim }));
}

/** By the concepts that tell something: two statements without one in common are about different things. */
function indexed(references: readonly Reference[]): Map<string, Reference[]> {
  const index = new Map<string, Reference[]>();
  for (const reference of references) {
    for (const [concept, weight] of reference.claim.weights) {
      if (weight <= 0.3) continue;
      const known = index.get(concept);
      if (known === undefined) index.set(concept, [reference]);
      else known.push(reference);
    }
  }

  return index;
}
