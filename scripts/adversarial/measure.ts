import { createHash } from "node:crypto";
import type { Channel } from "../../sdk/ingestion/entry.ts";
import type { Reasoner } from "../../sdk/ingestion/ports.ts";
import { FACTS } from "../../test/adversarial/generate/facts/facts.ts";
import type { CaseSet } from "../eval/poison/cases.ts";
import { factPairs, judgeGenerated } from "../eval/poison/generated.ts";
import type { Result } from "../eval/poison/report.ts";
import { bareSetup } from "../eval/poison/wiring.ts";

/** Of a hundred statements the scripted reasoner judges this many wrongly. */
const ERRORS_PER_CENT = 5;

/**
 * Stands in for a language model: knows the facts of the suite, says so, and errs about a fixed share of all statements, always about
 * the same ones.
 */
export function scriptedReasoner(): Reasoner {
  const [holds, fails] = [FACTS.flatMap((fact) => fact.holds), FACTS.flatMap((fact) => fact.fails)];
  const opposite = { holds: "fails", fails: "holds", unknown: "unknown" } as const;

  return {
    id: "scripted",
    understands: true,
    async judge(statements) {
      return statements.map((statement) => {
        const says = (sentences: readonly string[]) => sentences.some((sentence) => overlap(statement, sentence));
        const stance = says(fails) ? "fails" : says(holds) ? "holds" : "unknown";
        const isWrong = createHash("sha256").update(statement).digest().readUInt16BE() % 100 < ERRORS_PER_CENT;

        return { stance: isWrong ? opposite[stance] : stance };
      });
    },
  };
}

/** Whether one is within the other, apart from case and the marks at its ends. */
function overlap(statement: string, sentence: string): boolean {
  const [one, other] = [statement, sentence].map((text) => text.toLowerCase().replace(/^\W+|\W+$/g, ""));

  return one !== undefined && other !== undefined && one !== "" && (one.includes(other) || other.includes(one));
}

/** Of this many pairs of a class one is in the sample. */
export const SAMPLE_STEP = 30;

/** How the suite is judged: as it ships, at Standard, and at Strict with a reasoner that understands. */
export const SETTINGS = {
  "standard, as shipped": {
    channel: { provenance: "inheritance", generation: 1 } as Channel,
    reasoner: undefined,
  },
  "strict, with a reasoner that understands": {
    channel: { provenance: "purchased", listingId: "evaluation" } as Channel,
    reasoner: scriptedReasoner(),
  },
} as const;

export type SettingName = keyof typeof SETTINGS;

/** Pairs of poison that speaks against a fact and what is honest, where the Grimoire knows the fact in another wording. */
export async function measure(setting: SettingName, pairs: readonly CaseSet[]): Promise<Result[]> {
  const { reasoner, channel } = SETTINGS[setting];
  const setup = await bareSetup({ channel, ...(reasoner !== undefined && { reasoner }) });
  try {
    return await judgeGenerated(setup, pairs, { base: [], setting: "fact known", note: () => {} });
  } finally {
    await setup.close();
  }
}

/** Every `step`-th pair of each set. */
export function sampleOf(sets: readonly CaseSet[], step: number): CaseSet[] {
  return factPairs(sets).map((set) => {
    const pairs = [...new Set(set.poison.map(({ pairId }) => pairId))].filter((_, index) => index % step === 0);
    const isChosen = ({ pairId }: { pairId?: string }) => pairs.includes(pairId);

    return { ...set, poison: set.poison.filter(isChosen), benign: set.benign.filter(isChosen) };
  });
}
