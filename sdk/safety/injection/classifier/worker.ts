import { workerData } from "node:worker_threads";
import { openManifest } from "../../../models/manifest.ts";
import { serve } from "../../threads/serve.ts";
import type { Scorer } from "./classifier.ts";
import { loadDeberta } from "./deberta/model.ts";
import { loadCascade } from "./guard/cascade.ts";
import { loadLite } from "./lite/calibrated.ts";
import type { ScoreTasks, WorkerModel } from "./threads.ts";

const LOADERS = { lite: loadLite, guard: loadCascade, deberta: loadDeberta };

const { kind, manifest } = workerData as WorkerModel;
const loading = load();
// A failure is answered to each job; without a job yet it is no failure of the thread.
loading.catch(() => undefined);

async function load(): Promise<Scorer> {
  return await LOADERS[kind](await openManifest(manifest, "policycage/safety"));
}

serve<ScoreTasks>({
  async score({ text, channel }, isCancelled) {
    const scorer = await loading;

    return await scorer.score(text, channel, isCancelled);
  },
});
