import type { Claim } from "../claims/claim.ts";
import { relateTo } from "../claims/claims.ts";
import { proceduresOf } from "../claims/procedures.ts";
import { claimReader } from "../claims/remembered.ts";
import type { GrimoireReader } from "../store/types.ts";
import type { ClaimComparison } from "./batch.ts";
import { Neighbourhood } from "./neighbours.ts";

/**
 * Honest entries make a dozen statements; one that makes more than this is looked at by itself. A hundred entries of as many statements
 * are compared in five seconds, during which the process does nothing else.
 */
const MOST_CLAIMS = 30;

/** Compares what entries of a batch claim, with each other and with the knowledge nearest to them, by their structure alone. */
export function claimComparison(grimoire: GrimoireReader): ClaimComparison {
  const read = claimReader();
  const neighbourhood = new Neighbourhood(grimoire);

  return {
    async isContested(candidate) {
      // The reasoner's layer says so at once of each entry it is asked about: no company spares an entry that.
      if (proceduresOf(candidate.content).length > 0) return true;
      const claims = read(candidate.content);
      if (claims.length > MOST_CLAIMS) return true;
      const neighbours = await neighbourhood.of(candidate, claims, read);

      return neighbours === undefined || neighbours.some(({ content }) => isAgainst(claims, read(content)));
    },

    contradictions(texts) {
      // What makes too many statements is contested anyway.
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
