import { calibrate, type Manifest, readPinned } from "../../../../models/manifest.ts";
import type { Scorer } from "../classifier.ts";
import { piecesOf } from "../pieces.ts";
import { headOf, LiteModel } from "./model.ts";

/** Loads the small model, verified against the manifest. */
export async function loadLite(manifest: Manifest): Promise<Scorer> {
  const { lite } = manifest;
  const model = await LiteModel.load(await readPinned(manifest, lite, "lite.onnx"));

  return {
    async score(text, channel, isCancelled) {
      const { whole } = await model.judge(text, piecesOf(text), isCancelled);

      return calibrate(lite.calibration[channel], whole[headOf(channel)]);
    },
  };
}
