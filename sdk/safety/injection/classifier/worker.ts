import { parentPort, workerData } from "node:worker_threads";
import { PolicyCageError } from "../../../core/errors.ts";
import { readManifest, readPackagedManifest } from "../../../models/manifest.ts";
import type { Scorer } from "./classifier.ts";
import { loadDeberta } from "./deberta/model.ts";
import { loadLite } from "./lite/calibrated.ts";
import type { WorkerJob, WorkerModel, WorkerReply } from "./pool.ts";

const { kind, manifest } = workerData as WorkerModel;
const loading = load();
// A failure is answered to each job; without a job yet it is no failure of the thread.
loading.catch(() => undefined);

async function load(): Promise<Scorer> {
  const pinned = await (manifest === undefined ? readPackagedManifest("policycage/safety") : readManifest(manifest));

  return await (kind === "lite" ? loadLite(pinned) : loadDeberta(pinned));
}

let turn: Promise<void> = Promise.resolve();

parentPort?.on("message", (job: WorkerJob) => {
  turn = turn.then(async () => {
    const reply = await answer(job);
    if (reply !== undefined) parentPort?.postMessage(reply);
  });
});

async function answer({ id, text, channel, cancelled }: WorkerJob): Promise<WorkerReply | undefined> {
  const isCancelled = () => Atomics.load(cancelled, 0) !== 0;
  if (isCancelled()) return undefined;
  try {
    const scorer = await loading;
    return { id, score: await scorer.score(text, channel, isCancelled) };
  } catch (cause) {
    return {
      id,
      failure: cause instanceof Error ? cause.message : String(cause),
      ...(cause instanceof PolicyCageError && { advice: cause.advice }),
    };
  }
}
