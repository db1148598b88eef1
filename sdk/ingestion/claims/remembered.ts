import type { Claim } from "./claim.ts";
import { claimsOf } from "./claims.ts";

const MOST_TEXTS = 2_000;
const LONGEST_KEPT = 8_192;

/** Reads texts into statements and remembers the last 2 000 shorter ones: neighbours come again with every entry. */
export function claimReader(): (text: string) => readonly Claim[] {
  const known = new Map<string, readonly Claim[]>();

  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;

    const claims = claimsOf(text);
    if (text.length > LONGEST_KEPT) return claims;
    const oldest = known.size >= MOST_TEXTS ? known.keys().next().value : undefined;
    if (oldest !== undefined) known.delete(oldest);
    known.set(text, claims);
    return claims;
  };
}
