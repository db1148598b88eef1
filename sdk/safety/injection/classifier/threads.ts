import { requireText } from "../../../text/text.ts";
import { fileBeside, WorkerPool } from "../../threads/pool.ts";
import type { Channel, InjectionClassifier } from "./classifier.ts";

/** What a worker needs to load its model. */
export type WorkerModel = {
  readonly kind: "lite" | "guard" | "deberta";
  /** The one of `policycage-models` when undefined. */
  readonly manifest: string | undefined;
};

export type ScoreTasks = {
  score: { input: { readonly text: string; readonly channel: Channel }; output: number };
};

/** A classifier in threads that hold its model each. */
export function threadedClassifier(model: WorkerModel, size: number): InjectionClassifier {
  // The model's runtime does not stand being interrupted.
  const crew = { size, mayBeKilled: false, subject: "The classifier", code: "CLASSIFIER_UNAVAILABLE", data: model };
  const pool = new WorkerPool<ScoreTasks>({ ...crew, file: () => fileBeside(import.meta.url, "worker", crew) });

  return {
    name: model.kind,
    async score(text, channel, signal) {
      return await pool.run("score", { text, channel }, { length: requireText(text).length, signal });
    },
    close: () => pool.close(),
  };
}
