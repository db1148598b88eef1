import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readManifest } from "../../sdk/models/manifest.ts";
import { GuardModel } from "../../sdk/safety/injection/classifier/guard/model.ts";
import { LiteModel } from "../../sdk/safety/injection/classifier/lite/model.ts";
import { SEEDS_FILE, type SeedFigures, seedFigures } from "../eval/injection/seeds.ts";
import { atOnce } from "../lib/at-once.ts";
import { MANIFEST_FILE } from "../lib/models.ts";
import { guardFile, python, SEED } from "./guard.ts";
import { liteFile, trainLite, WORK } from "./injection.ts";

const OTHERS = [SEED + 1, SEED + 2];

/**
 * What the final models find on development sources when they are trained with other seeds, the guard on the same pieces in another order
 * (after `npm run train -- injection guard`). The evaluation prints it.
 */
export async function run(folder: string, jobs: number): Promise<void> {
  await atOnce(
    jobs,
    OTHERS.map((seed) => async () => {
      writeFileSync(join(WORK, `lite-${seed}.onnx`), await trainLite({ folder, seed, heldOut: undefined }));
      const env = { POLICYCAGE_SEED: String(seed) };
      await python(["guard", `all-${seed}`], env);
    }),
  );
  const data = join(folder, "..", "..");
  const seeds: SeedFigures[] = [];
  for (const seed of [SEED, ...OTHERS]) {
    const isShipped = seed === SEED;
    const small = isShipped ? liteFile(undefined) : join(WORK, `lite-${seed}.onnx`);
    const large = isShipped ? guardFile(undefined) : join(WORK, `guard-all-${seed}.onnx`);
    const manifest = await readManifest(MANIFEST_FILE);
    const models = {
      lite: await LiteModel.load(readFileSync(small)),
      guard: await GuardModel.load(manifest, readFileSync(large)),
    };
    seeds.push({ seed, ...(await seedFigures(models, manifest, data)) });
    await Promise.all([models.lite.close(), models.guard.close()]);
  }
  console.table(seeds);
  writeFileSync(SEEDS_FILE, `${JSON.stringify(seeds, null, 2)}\n`);
}
