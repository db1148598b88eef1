import { join } from "node:path";
import type { Manifest } from "../../../sdk/models/manifest.ts";
import { judgeByBoth } from "../../../sdk/safety/injection/classifier/guard/cascade.ts";
import type { GuardModel } from "../../../sdk/safety/injection/classifier/guard/model.ts";
import type { LiteModel } from "../../../sdk/safety/injection/classifier/lite/model.ts";
import { readingsOf } from "../../../sdk/safety/injection/readings.ts";
import { viewsOf } from "../../../sdk/text/views/views.ts";
import { auc } from "../../lib/statistics.ts";
import { ownTexts } from "./own.ts";
import { developmentSets } from "./sets.ts";

/** Written by `npm run train -- seeds`. */
export const SEEDS_FILE = join(import.meta.dirname, "seeds.json");

/** By the classifier's score, on the development sources that count, and of texts of other authors as they stand. */
export type SeedFigures = {
  readonly seed: number;
  readonly data: HeadFigures;
  readonly user: HeadFigures;
  /** Orders of other authors, and lies, against harmless texts of the same words: AUC. */
  readonly own: number;
};

/** `found`: attacks in percent where 1.5 % of harmless texts are flagged. */
type HeadFigures = { readonly auc: number; readonly found: number };

const ALLOWED = 0.015;

/** What models find on the development sources: by their logits, which no calibration moves past one another. */
export async function seedFigures(
  models: { readonly lite: LiteModel; readonly guard: GuardModel },
  { guard }: Manifest,
  data: string,
): Promise<Omit<SeedFigures, "seed">> {
  if (guard === undefined) throw new Error("The manifest names no guard");
  const logitsOf = async (texts: readonly string[], head: "user" | "data") => {
    const logits: number[] = [];
    for (const text of texts) {
      let logit = Number.NEGATIVE_INFINITY;
      for (const reading of readingsOf(viewsOf(text))) {
        const { joint } = await judgeByBoth(models, guard.cascade, reading.text, head, () => false);
        logit = Math.max(logit, joint);
      }
      logits.push(logit);
    }

    return logits;
  };
  const sets = developmentSets(data).filter(({ isAside }) => isAside !== true);
  const figures = async (head: "user" | "data"): Promise<HeadFigures> => {
    const textsOf = (isAttack: boolean) =>
      sets
        .filter((set) => set.isAttack === isAttack && (set.channel === "user") === (head === "user"))
        .flatMap(({ texts }) => texts);
    const attacks = await logitsOf(textsOf(true), head);
    const harmless = await logitsOf(textsOf(false), head);
    const limit = harmless.toSorted((a, b) => b - a)[Math.floor(ALLOWED * harmless.length)] ?? 0;

    return {
      auc: rounded(auc(attacks, harmless), 3),
      found: rounded((100 * attacks.filter((logit) => logit > limit).length) / attacks.length, 1),
    };
  };

  return {
    data: await figures("data"),
    user: await figures("user"),
    own: rounded(auc(await logitsOf(ownTexts(true), "data"), await logitsOf(ownTexts(false), "data")), 3),
  };
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
