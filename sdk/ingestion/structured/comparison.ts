import { breathing } from "../breath.ts";
import { type ClaimComparison, MOST_CLAIMS } from "../judge/consensus/batch.ts";
import type { Claim } from "./claims/claim.ts";
import { relateTo } from "./claims/claims.ts";
import { claimReader } from "./claims/remembered.ts";

/** Compares what entries of a batch claim with each other, by their structure alone. */
export function claimComparison(): ClaimComparison {
  const read = claimReader();

  return {
    async contradictions(texts) {
      const breathe = breathing();
      // What makes too many statements does not pass anyway.
      const claims = texts.map(read).map((all) => (all.length > MOST_CLAIMS ? [] : all));
      const pairs: [number, number][] = [];
      for (const [index, one] of claims.entries()) {
        for (const [at, other] of claims.entries()) {
          if (at > index && (isAgainst(one, other) || isAgainst(other, one))) pairs.push([index, at]);
          await breathe();
        }
      }

      return pairs;
    },
    async agreements(text, known) {
      const breathe = breathing();
      const claims = read(text);
      if (claims.length > MOST_CLAIMS) return [];
      const found: number[] = [];
      for (const [at, other] of known.entries()) {
        await breathe();
        const said = read(other);
        const stances = claims.map((claim) => relateTo([claim], said).stance);
        if (stances.includes("supports") && !stances.includes("contradicts")) found.push(at);
      }

      return found;
    },
  };
}

function isAgainst(claims: readonly Claim[], known: readonly Claim[]): boolean {
  return relateTo(claims, known).stance === "contradicts";
}
