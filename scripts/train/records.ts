import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readManifest } from "../../sdk/models/manifest.ts";
import { judgeByBoth } from "../../sdk/safety/injection/classifier/guard/cascade.ts";
import { GuardModel } from "../../sdk/safety/injection/classifier/guard/model.ts";
import { LiteModel } from "../../sdk/safety/injection/classifier/lite/model.ts";
import { MANIFEST_FILE } from "../lib/models.ts";
import { fitLine, type HeldOutScore, highestOf } from "./injection/calibration.ts";
import { harmlessRecords } from "./records/harmless.ts";

/** Shares of harmless records that may reach the two bands, averaged over their sources. */
const BAND = { warn: 0.015, block: 0.003 };

/** The guard's line for tool results: it flags as few as asked of harmless records of sources that no model was trained on. */
export async function run(folder: string): Promise<void> {
  const manifest = await readManifest(MANIFEST_FILE);
  const { guard: entry } = manifest;
  if (entry === undefined) throw new Error("Train the guard first: npm run train -- injection guard");
  const lite = await LiteModel.load(readFileSync(join(MANIFEST_FILE, "..", "lite.onnx")));
  const models = { lite, guard: await GuardModel.load(manifest) };
  const scores: HeldOutScore[] = [];
  for (const { source, texts } of harmlessRecords(join(folder, "..", ".."), "fitted")) {
    for (const text of texts) {
      const logit = await highestOf(
        text,
        async (reading) => (await judgeByBoth(models, entry.cascade, reading, "data", () => false)).joint,
      );
      scores.push({ file: source, label: 0, head: "data", logit });
    }
    console.log(`scored ${texts.length} of ${source}`);
  }
  await Promise.all([models.lite.close(), models.guard.close()]);

  const tool = fitLine(scores, "data", BAND);
  const written = JSON.parse(readFileSync(MANIFEST_FILE, "utf8")) as { guard: { calibration: object } };
  written.guard.calibration = { ...written.guard.calibration, tool };
  writeFileSync(MANIFEST_FILE, `${JSON.stringify(written, null, 2)}\n`);
  console.log(tool);
}
