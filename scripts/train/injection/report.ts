import { type Calibration, calibrate } from "../../../sdk/models/manifest.ts";
import { BLOCK_SCORE, WARN_SCORE } from "../../../sdk/safety/injection/decision.ts";
import type { Head, HeldOutScore } from "./calibration.ts";

/** What a model that never saw a source says of it: shares of its texts in the two bands. */
export type HeldOutRow = {
  readonly source: string;
  readonly head: Head;
  readonly label: 0 | 1;
  readonly texts: number;
  /** Share at the warn band or above, in percent. */
  readonly warned: number;
  /** Share in the block band, in percent. */
  readonly blocked: number;
};

export function summarise(
  scores: readonly HeldOutScore[],
  calibration: Readonly<Record<Head, Calibration>>,
): readonly HeldOutRow[] {
  const groups = new Map<string, HeldOutScore[]>();
  for (const score of scores) {
    const key = `${score.file} ${score.head} ${score.label}`;
    groups.set(key, [...(groups.get(key) ?? []), score]);
  }

  return [...groups.values()].flatMap((group): HeldOutRow[] => {
    const [first] = group;
    if (first === undefined) return [];
    const { file, head, label } = first;
    const values = group.map(({ logit }) => calibrate(calibration[head], logit));
    const percent = (count: number) => Math.round((1000 * count) / values.length) / 10;

    return [
      {
        source: file,
        head,
        label,
        texts: values.length,
        warned: percent(values.filter((value) => value >= WARN_SCORE).length),
        blocked: percent(values.filter((value) => value > BLOCK_SCORE).length),
      },
    ];
  });
}
