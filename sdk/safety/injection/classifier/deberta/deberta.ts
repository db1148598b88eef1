import type { InjectionClassifier } from "../classifier.ts";
import { WorkerPool } from "../pool.ts";

export type DebertaOptions = {
  /** Path of a manifest whose `deberta` entry pins the files; default: the one of `policycage-models`. */
  readonly manifest?: string;
  /** Worker threads, each with a copy of the model (about 250 MB in INT8). Default 1. */
  readonly workers?: number;
};

/** The large classifier. Its weights are not part of the package: `npm run models:fetch` gets them; without them every call rejects. */
export function createDebertaClassifier({ manifest, workers = 1 }: DebertaOptions = {}): InjectionClassifier {
  const pool = new WorkerPool({ kind: "deberta", manifest }, workers);

  return {
    name: "deberta",
    score: (text, channel, signal) => pool.score(text, channel, signal),
    close: () => pool.close(),
  };
}
