import type { Claim } from "./claim.ts";
import { claimsOf } from "./claims.ts";

/** In all. What is read out of a text takes about forty times its length. */
const MOST_CHARACTERS = 1_000_000;
const LONGEST_KEPT = 8_192;

/** Reads texts into statements and remembers the last ones, a million characters in all: neighbours come again with every entry. */
export function claimReader(): (text: string) => readonly Claim[] {
  const known = new Map<string, readonly Claim[]>();
  let characters = 0;

  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;

    const claims = claimsOf(text);
    if (text.length > LONGEST_KEPT) return claims;
    known.set(text, claims);
    characters += text.length;
    for (const oldest of known.keys()) {
      if (characters <= MOST_CHARACTERS) break;
      known.delete(oldest);
      characters -= oldest.length;
    }

    return claims;
  };
}
