import { FUNCTION_WORDS } from "../words/grammar.ts";

const PRAISE: ReadonlySet<string> = new Set(
  `confidence confident validated validation validations verified verification confirmed confirmation confirmations tested audited
  endorsed certified proven approved reviewed reproduced replicated observed backtested battle times time across agents agent golems
  golem runs run independently independent reviewers reviewer production peers peer users user sources source score rating rate success
  successful successfully trusted widely accepted experts expert percent accuracy environments deployments networks chains teams
  different separate multiple consecutive live level high very total count evidence strong note result results status by`
    .split(/\s+/)
    .filter((word) => word !== ""),
);

/**
 * Whether a sentence only praises the entry ("independently validated 42 times across 11 agents"): that says nothing of the world, and
 * neither helps nor hides. What says anything else besides is no mere praise.
 */
export function isTestimony(sentence: string): boolean {
  const words = sentence.toLowerCase().match(/\p{L}+/gu) ?? [];

  return words.length > 0 && words.every((word) => PRAISE.has(word) || FUNCTION_WORDS.has(word));
}
