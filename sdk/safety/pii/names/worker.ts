import { workerData } from "node:worker_threads";
import { serve } from "../../threads/serve.ts";
import type { NamesModel, NamesTasks } from "./names.ts";
import { loadOnnxNames } from "./onnx.ts";
import { loadSimpleNames } from "./simple.ts";

const model = workerData as NamesModel;
const loading = model.kind === "onnx" ? loadOnnxNames(model) : loadSimpleNames();
// A failure is answered to each job; without a job yet it is no failure of the thread.
loading.catch(() => undefined);

serve<NamesTasks>({
  async find(text, isCancelled) {
    const find = await loading;

    return await find(text, isCancelled);
  },
});
