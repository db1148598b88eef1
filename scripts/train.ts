/**
 * Trains models/lite.onnx and writes its entry in models/manifest.json.
 *
 *   npm run train -- [--data ../shared/data] [--jobs 2]
 *
 * One model is trained on all sources, and one for each fold of sources left out, on whose texts the calibration is fitted and the
 * figures by source are measured. The same data, seed and Node version give the same bytes.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { fitCalibration, type HeldOutScore, scoreHeldOut } from "./train/calibration.ts";
import { FOLDS } from "./train/folds.ts";
import type { TrainingJob } from "./train/job.ts";
import { summarise } from "./train/report.ts";
import { readSources } from "./train/sources.ts";

const SEED = 20;
const MODELS = join(import.meta.dirname, "..", "models");

const { values } = parseArgs({
  options: { data: { type: "string" }, jobs: { type: "string", default: "2" } },
});
const folder = join(
  values.data ?? process.env.POLICYCAGE_DATA ?? join(import.meta.dirname, "..", "..", "shared", "data"),
  "injection",
  "train",
);

try {
  await main();
} catch (cause) {
  console.error(cause instanceof Error ? cause.message : cause);
  process.exitCode = 2;
}

async function main(): Promise<void> {
  const sources = readSources(folder);
  const jobs = [undefined, ...FOLDS.keys()];
  const models = await inThreads(jobs, Number(values.jobs));

  const scores: HeldOutScore[] = [];
  for (const [fold, names] of FOLDS.entries()) {
    const model = models.get(fold);
    if (model === undefined) throw new Error(`Fold ${fold} gave no model`);
    scores.push(
      ...(await scoreHeldOut(
        model,
        sources.filter(({ name }) => names.includes(name)),
      )),
    );
  }
  const calibration = { user: fitCalibration(scores, "user"), data: fitCalibration(scores, "data") };
  const heldOut = summarise(scores, calibration);

  const bytes = models.get(undefined);
  if (bytes === undefined) throw new Error("There is no model");
  mkdirSync(MODELS, { recursive: true });
  writeFileSync(join(MODELS, "lite.onnx"), bytes);
  const path = join(MODELS, "manifest.json");
  const manifest = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
  const entry = {
    license: "MIT",
    origin: "Trained by scripts/train.ts of this project; see README.md.",
    folder: ".",
    files: [{ name: "lite.onnx", sha256: createHash("sha256").update(bytes).digest("hex") }],
    bytes: bytes.length,
    calibration,
    training: {
      seed: SEED,
      node: process.versions.node,
      sources: sources.map(({ name, sha256, rows }) => ({ name, rows: rows.length, sha256 })),
    },
    heldOut,
  };
  writeFileSync(path, `${JSON.stringify({ ...manifest, lite: entry }, null, 2)}\n`);
  for (const row of heldOut) console.log(Object.values(row).join("  "));
}

/** Runs the training jobs, a few at a time. */
async function inThreads(
  jobs: readonly (number | undefined)[],
  limit: number,
): Promise<Map<number | undefined, Uint8Array>> {
  const models = new Map<number | undefined, Uint8Array>();
  const queue = [...jobs];
  const run = async () => {
    for (;;) {
      if (queue.length === 0) return;
      const heldOut = queue.shift();
      const started = performance.now();
      models.set(heldOut, await inThread({ folder, seed: SEED, heldOut }));
      const name = heldOut === undefined ? "all sources" : `without ${FOLDS[heldOut]?.join(", ")}`;
      console.log(`trained on ${name} in ${((performance.now() - started) / 1000).toFixed(0)} s`);
    }
  };
  await Promise.all(Array.from({ length: limit }, run));
  return models;
}

async function inThread(job: TrainingJob): Promise<Uint8Array> {
  return await new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./train/job.ts", import.meta.url), { workerData: job });
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}
