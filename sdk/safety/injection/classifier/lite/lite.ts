import type { InjectionClassifier } from "../classifier.ts";
import { WorkerPool } from "../pool.ts";

export type LiteOptions = {
  /** Path of a manifest; default: the one of `policycage-models`. */
  readonly manifest?: string;
  /** Worker threads, each with a copy of the model (about 20 MB). Default 1. */
  readonly workers?: number;
};

/** The small classifier. Its model is loaded and verified with the first text; a failure rejects that call, with advice. */
export function createLiteClassifier({ manifest, workers = 1 }: LiteOptions = {}): InjectionClassifier {
  const pool = new WorkerPool({ kind: "lite", manifest }, workers);

  return {
    name: "lite",
    score: (text, channel, signal) => pool.score(text, channel, signal),
    close: () => pool.close(),
  };
}
