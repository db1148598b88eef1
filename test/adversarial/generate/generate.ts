import { agentPoison } from "./agent-poison.ts";
import { confidenceInflation } from "./confidence-inflation.ts";
import { memoryGraft } from "./memory-graft.ts";
import { minja } from "./minja.ts";
import { ATTACK_CLASSES, type AttackClass, type GeneratedRow } from "./row.ts";
import { semanticContradiction } from "./semantic-contradiction.ts";

const GENERATORS: Record<AttackClass, (seed: number) => GeneratedRow[]> = {
  AgentPoison: agentPoison,
  MINJA: minja,
  MemoryGraft: memoryGraft,
  ConfidenceInflation: confidenceInflation,
  SemanticContradiction: semanticContradiction,
};

/** The adversarial suite: all rows of all classes, the same for the same seed. */
export function generateSuite(seed = 1): GeneratedRow[] {
  return ATTACK_CLASSES.flatMap((attack, index) => GENERATORS[attack](seed * 1_000 + index));
}
