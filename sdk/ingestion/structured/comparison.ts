import type { ClaimComparison } from "../judge/consensus/batch.ts";
import { DivergenceLayer } from "../judge/consensus/divergence.ts";
import type { KnowledgeStore } from "../store/open.ts";
import type { Claim } from "./claims/claim.ts";
import { relateTo } from "./claims/claims.ts";
import { claimReader } from "./claims/remembered.ts";
import { structuredReasoner } from "./reasoner.ts";

/**
 * Honest entries make a dozen statements; one that makes more than this is looked at by itself. A hundred entries of as many statements
 * are compared in five seconds, during which the process does nothing else.
 */
const MOST_CLAIMS = 30;

/** Compares what entries of a batch claim, with each other and with the knowledge nearest to them, by their structure alone. */
export function claimComparison({
  grimoire,
  embedder,
}: Pick<KnowledgeStore, "grimoire" | "embedder">): ClaimComparison {
  const read = claimReader();
  const divergence = new DivergenceLayer({ grimoire, embedder, baseline: structuredReasoner() });

  return {
    async compare(candidate) {
      return read(candidate.content).length > MOST_CLAIMS
        ? { layer: "consensus", vote: "fail", reason: "It makes more statements than are compared across a batch." }
        : divergence.vote(candidate);
    },

    contradictions(texts) {
      // What makes too many statements does not pass with its batch anyway.
      const claims = texts.map(read).map((all) => (all.length > MOST_CLAIMS ? [] : all));

      return claims.flatMap((one, index) =>
        claims.flatMap((other, at) =>
          at > index && (isAgainst(one, other) || isAgainst(other, one)) ? [[index, at] as const] : [],
        ),
      );
    },
  };
}

function isAgainst(claims: readonly Claim[], known: readonly Claim[]): boolean {
  return relateTo(claims, known).stance === "contradicts";
}
