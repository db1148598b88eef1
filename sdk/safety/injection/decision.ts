/** Scores at and above this are a warning. Source: Inference safety, "Decision matrix". */
export const WARN_SCORE = 0.5;
/** Scores above this are blocked. */
export const BLOCK_SCORE = 0.85;

export type InjectionClassification = {
  /** 1 when a pattern matched, else the classifier's score. */
  readonly confidence: number;
  readonly sources: readonly ("pattern" | "classifier")[];
  readonly action: "pass" | "warn" | "block";
};

/**
 * The decision matrix: a pattern blocks whatever the score; without one, above 0.85 blocks, 0.5 to 0.85 warns. The classifier is named
 * as a source from 0.5 on, where it begins to count; the source text names it only above 0.5.
 */
export function classifyInjection(hasPatternMatch: boolean, score: number): InjectionClassification {
  const sources: ("pattern" | "classifier")[] = [];
  if (hasPatternMatch) sources.push("pattern");
  if (score >= WARN_SCORE) sources.push("classifier");
  const isBlocked = hasPatternMatch || score > BLOCK_SCORE;
  const action = isBlocked ? "block" : score >= WARN_SCORE ? "warn" : "pass";

  return { confidence: hasPatternMatch ? 1 : score, sources, action };
}
