import { calibrate, type Manifest, readPinned } from "../../../../models/manifest.ts";
import type { Scorer } from "../classifier.ts";
import { piecesOf } from "../pieces.ts";
import { LiteModel } from "./model.ts";

/** Loads the small model, verified against the manifest. */
export async function loadLite(manifest: Manifest): Promise<Scorer> {
  const { lite } = manifest;
  const model = await LiteModel.load(await readPinned(manifest, lite, "lite.onnx"));

  return {
    async score(text, channel, isCancelled) {
      const { whole: logits } = await model.judge(text, piecesOf(text), isCancelled);

      return channel === "user"
        ? calibrate(lite.calibration.user, logits.user)
        : calibrate(lite.calibration.data, logits.data);
    },
  };
}
