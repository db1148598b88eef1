import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { loadTransliterate, readable } from "../../sdk/models/trunk.ts";
import { run as runCommand } from "../lib/run.ts";
import type { Label } from "./judge/grammar.ts";
import { makePairs } from "./judge/pairs.ts";
import { writeModel } from "./manifest.ts";
import { Random } from "./random.ts";

const SEED = Number(process.env.POLICYCAGE_SEED ?? 20);
const WORK = join(import.meta.dirname, "..", "..", "cache", "train", "judge");
const PROGRAM = join(import.meta.dirname, "judge", "train.py");
const LABELS = ["entailment", "neutral", "contradiction"] as const satisfies readonly Label[];
const THRESHOLDS = { supports: 0.5, contradicts: 0.5 };

/**
 * models/judge.onnx. `POLICYCAGE_HELD_OUT=1` trains without what `HELD_OUT` names, and writes no model, only cache/train/judge. Needs
 * Python with scripts/train/guard/requirements.txt: POLICYCAGE_PYTHON names it.
 */
export async function run(folder: string): Promise<void> {
  const isHolding = process.env.POLICYCAGE_HELD_OUT === "1";
  const data = join(folder, "..", "..");
  const name = isHolding ? "held" : "all";
  const transliterate = await loadTransliterate("policycage/safety");
  const read = (text: string) => readable(text, transliterate);
  const pairs = makePairs(data, new Random(SEED), isHolding);
  mkdirSync(WORK, { recursive: true });
  const rows = pairs.map(({ premise, hypothesis, label }) => [read(premise), read(hypothesis), LABELS.indexOf(label)]);
  writeFileSync(join(WORK, `pairs-${name}.json`), JSON.stringify(rows));
  console.log(`${pairs.length} pairs`);
  const exitCode = await runCommand(process.env.POLICYCAGE_PYTHON ?? "python3", [PROGRAM, WORK, name]);
  if (exitCode !== 0) throw new Error(`${PROGRAM} failed; name a Python with what it requires by POLICYCAGE_PYTHON.`);
  if (!isHolding) finish(data, pairs.length);
}

function finish(data: string, pairs: number): void {
  const sources = ["nli/train", "injection/train/cryptodocs_ethereum", "injection/train/cryptodocs_bitcoin"];
  writeModel({
    name: "judge",
    files: [{ name: "judge.onnx", bytes: readFileSync(join(WORK, "judge-all.onnx")) }],
    license: "CC-BY-SA-4.0",
    origin:
      "Upper layers of all-MiniLM-L6-v2 (Apache-2.0) trained by scripts/train.ts of this project on SNLI, MED and others; see NOTICE.md.",
    facts: {
      thresholds: THRESHOLDS,
      training: {
        seed: SEED,
        pairs,
        sources: sources.map((source) => ({
          name: source,
          sha256: createHash("sha256")
            .update(readFileSync(join(data, `${source}.jsonl`)))
            .digest("hex"),
        })),
      },
    },
  });
}
