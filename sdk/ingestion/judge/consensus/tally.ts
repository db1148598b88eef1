import type { LayerName, LayerVote, RejectionCode, Strictness, ValidationResult } from "../../entry.ts";

/** Layers that are counted. Mental models are not one of them: they can be wrong for what is new (specification 4.4). */
const VOTERS: readonly LayerName[] = ["embedding", "consensus", "on_chain"];
const PASSES_NEEDED: Record<Strictness, number> = { relaxed: 1, standard: 2, strict: 3, paranoid: 3 };
/** One voice is no consensus. */
const FEWEST_VOTES = 2;
/** How much of what is missing to certainty a conflict with a mental model adds to the divergence layer two has seen. */
const MODEL_WEIGHT = 0.5;
/** Divergence from which on layer two fails. */
const DIVERGENCE_LIMIT = 0.5;

const REJECTION: Record<LayerName, RejectionCode> = {
  on_chain: "OnChainFalse",
  mental_model: "MentalModelConflict",
  consensus: "ConsensusDivergence",
  embedding: "EmbeddingAnomaly",
};
/** Of several layers that failed an entry, the first of these names the reason. */
const WEIGHTIEST = Object.keys(REJECTION) as LayerName[];

/** The verdict on an entry, and what it is rejected for when it failed. */
export type Tally = { result: ValidationResult; failed?: { layer: LayerName; code: RejectionCode } };

/**
 * Counts the votes. An abstention is never a pass. Proof of falsehood rejects at once; otherwise at least two layers must have voted, and
 * of those that voted as many must pass as the level asks for (1, 2, 3 of 3, or all where fewer could vote). From Strict on, a pass that
 * nothing confirms is an abstention. A conflict with a mental model raises the divergence that layer two has measured, rejects nothing
 * alone, and lets nothing pass.
 */
export function tally(cast: readonly LayerVote[], strictness: Strictness): Tally {
  const model = cast.find(({ layer }) => layer === "mental_model");
  const isInConflict = model?.vote === "fail";
  const votes = cast.map((vote) => (isInConflict && vote.layer === "consensus" ? raise(vote) : vote));

  const voters = votes.filter((vote) => VOTERS.includes(vote.layer) && isCounted(vote, strictness));
  const passes = voters.filter(({ vote }) => vote === "pass").length;
  const score = voters.length === 0 ? 0 : passes / voters.length;
  const needed = Math.min(PASSES_NEEDED[strictness], voters.length);
  const failures = voters.filter(({ vote }) => vote === "fail");
  const verdict = (outcome: ValidationResult["outcome"], reason: string): ValidationResult => ({
    outcome,
    strictness,
    votes,
    score,
    reason,
  });

  const proven = failures.find(({ isProven }) => isProven);
  if (proven !== undefined) {
    return {
      result: verdict("failed", proven.reason),
      failed: { layer: proven.layer, code: REJECTION[proven.layer] },
    };
  }
  if (voters.length < FEWEST_VOTES) {
    const missing = votes.some(({ isUnconfirmed }) => isUnconfirmed) ? " Nothing that is known confirms it." : "";
    return {
      result: verdict(
        "held",
        `${voters.length} of ${VOTERS.length} layers could tell, ${FEWEST_VOTES} are needed.${missing}`,
      ),
    };
  }
  if (passes < needed) {
    const weightiest = WEIGHTIEST.map((name) => failures.find(({ layer }) => layer === name)).find(Boolean);
    const layer = weightiest?.layer ?? "consensus";
    const wasRaised = layer === "consensus" && cast.some((vote) => vote.layer === layer && vote.vote !== "fail");
    return {
      result: verdict(
        "failed",
        `${passes} of ${voters.length} votes pass, ${needed} must. ${weightiest?.reason ?? ""}`,
      ),
      failed: wasRaised ? { layer: "mental_model", code: REJECTION.mental_model } : { layer, code: REJECTION[layer] },
    };
  }
  if (isInConflict) return { result: verdict("held", `Held for review: ${model.reason}`) };

  return { result: verdict("passed", `${passes} of ${voters.length} votes pass, ${needed} must.`) };
}

/** Of a stranger, nothing is believed because nobody has heard otherwise. */
function isCounted({ vote, isUnconfirmed }: LayerVote, strictness: Strictness): boolean {
  const needsConfirmation = strictness === "strict" || strictness === "paranoid";

  return vote === "fail" || (vote === "pass" && !(isUnconfirmed && needsConfirmation));
}

/** Adds a model's doubt to what layer two has measured; where it has seen nothing, there is nothing to raise. */
function raise(vote: LayerVote): LayerVote {
  const { score = 0 } = vote;
  if (vote.vote !== "pass" || score <= 0) return vote;
  const raised = score + MODEL_WEIGHT * (1 - score);

  return raised < DIVERGENCE_LIMIT
    ? { ...vote, score: raised }
    : {
        ...vote,
        vote: "fail",
        score: raised,
        reason: `Divergence ${score.toFixed(2)}, raised to ${raised.toFixed(2)} by a conflict with a mental model.`,
      };
}
