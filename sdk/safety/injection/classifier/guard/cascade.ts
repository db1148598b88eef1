import { calibrate, type Manifest, readPinned } from "../../../../models/manifest.ts";
import { COMMON_WORDS } from "../../../../text/views/common-words.ts";
import type { Scorer } from "../classifier.ts";
import { headOf, type Judgement, LiteModel, type Logits } from "../lite/model.ts";
import { piecesOf } from "../pieces.ts";
import { GuardModel } from "./model.ts";

/** Pieces of one text that the guard is asked about; the rest of a flood of suspected pieces is judged by the small model alone. */
export const MAX_PASSAGES = 512;

/** Logit of the guard that a piece counts with which it is not asked about. */
const RULED_OUT = -8;

/** Share of common English words from which a piece counts as English. */
const ENGLISH = 0.15;

export type Cascade = NonNullable<Manifest["guard"]>["cascade"];

/** What the two models say of a text. */
export type CascadeLogits = {
  /** Highest over the pieces that the guard has judged, or that were ruled out. */
  readonly joint: number;
  /** The small model's highest over suspected pieces beyond MAX_PASSAGES; undefined where there are none. */
  readonly beyond: number | undefined;
  /** Pieces the guard was asked about. */
  readonly asked: number;
};

/** Both models over a text: the small one judges every piece, the guard those that it does not rule out. */
export async function judgeByBoth(
  models: { readonly lite: LiteModel; readonly guard: GuardModel },
  cascade: Cascade,
  text: string,
  head: keyof Logits,
  isCancelled: () => boolean,
): Promise<CascadeLogits> {
  const pieces = piecesOf(text);
  const judged = await models.lite.judge(text, pieces, isCancelled);
  const suspected = suspectedOf(judged, cascade, head);
  const asked = suspected.slice(0, MAX_PASSAGES);
  const logits = await models.guard.judge(
    asked.map((index) => pieces[index] ?? ""),
    isCancelled,
  );
  let joint = jointLogit(cascade, head, Math.min(judged.whole[head], cascade.ruledOut[head]), RULED_OUT, true);
  for (const [i, index] of asked.entries()) {
    const lite = judged.pieces[index]?.[head] ?? Number.NaN;
    const guard = logits[i]?.[head] ?? Number.NaN;
    joint = Math.max(joint, jointLogit(cascade, head, lite, guard, isEnglish(pieces[index] ?? "")));
  }
  const [first] = suspected.slice(MAX_PASSAGES);

  return { joint, beyond: first === undefined ? undefined : judged.pieces[first]?.[head], asked: asked.length };
}

/** The pieces that the small model does not rule out, the likeliest attack first. */
function suspectedOf({ pieces }: Judgement, { ruledOut }: Cascade, head: keyof Logits): readonly number[] {
  return [...pieces.keys()]
    .filter((index) => (pieces[index]?.[head] ?? 0) >= ruledOut[head])
    .sort((a, b) => (pieces[b]?.[head] ?? 0) - (pieces[a]?.[head] ?? 0));
}

/** The guard has read English alone before it was trained here; what it says of other languages counts for less. */
export function jointLogit(
  { lite: weight, liteForeign }: Cascade,
  head: keyof Logits,
  lite: number,
  guard: number,
  isInEnglish: boolean,
): number {
  const share = isInEnglish ? weight[head] : liteForeign[head];

  return share * lite + (1 - share) * guard;
}

export function isEnglish(piece: string): boolean {
  const words = piece.toLowerCase().match(/\p{L}+/gu) ?? [];

  return words.length === 0 || words.filter((word) => COMMON_WORDS.has(word)).length >= ENGLISH * words.length;
}

/** Loads both models, verified against the manifest. */
export async function loadCascade(manifest: Manifest): Promise<Scorer> {
  const { lite: small, guard: entry } = manifest;
  if (entry === undefined) throw new Error("The manifest names no guard");
  const models = {
    lite: await LiteModel.load(await readPinned(manifest, small, "lite.onnx")),
    guard: await GuardModel.load(manifest),
  };

  return {
    async score(text, channel, isCancelled) {
      const head = headOf(channel);
      const { joint, beyond } = await judgeByBoth(models, entry.cascade, text, head, isCancelled);
      const score = calibrate(entry.calibration[channel], joint);

      return beyond === undefined ? score : Math.max(score, calibrate(small.calibration[channel], beyond));
    },
  };
}
