import { calibrate, readManifest, readPinned } from "../../../../models/manifest.ts";
import type { Scorer } from "../classifier.ts";
import { LiteModel } from "./model.ts";

/** Loads the embedded model, verified against the manifest. */
export async function loadLite(manifestPath: string): Promise<Scorer> {
  const { lite } = await readManifest(manifestPath);
  const model = await LiteModel.load(await readPinned(manifestPath, lite, "lite.onnx"));

  return {
    async score(text, channel, isCancelled) {
      const logits = await model.logits(text, isCancelled);

      return channel === "user"
        ? calibrate(lite.calibration.user, logits.user)
        : calibrate(lite.calibration.data, logits.data);
    },
  };
}
