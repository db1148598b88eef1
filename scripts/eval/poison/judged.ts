import type { Channel } from "../../../sdk/ingestion/entry.ts";
import { openAiReasoner, structuredReasoner } from "../../../sdk/ingestion/index.ts";
import { wrapReasoner } from "../../../sdk/ingestion/judge/reasoner/wrap.ts";
import type { Reasoner, ReasonerUsage } from "../../../sdk/ingestion/ports.ts";
import { generateSuite } from "../../../test/adversarial/generate/generate.ts";
import { alignedTable } from "../../lib/table.ts";
import { generatedSets } from "./cases.ts";
import { everyPair, judgeSuite } from "./generated.ts";
import { benignTable, pairTable, poisonTable } from "./report.ts";
import { bareSetup } from "./wiring.ts";

/** A model that judges layer two, and which pairs of each class it is asked about: every `step`-th. */
export type JudgeOptions = { baseUrl: string; model: string; apiKey?: string; step: number };

const CHANNELS: Record<string, Channel> = {
  "Standard (inheritance)": { provenance: "inheritance", generation: 1 },
  "Strict (purchased)": { provenance: "purchased", listingId: "evaluation" },
};
/** Just less than a layer may take at all: a model on a processor is slow, and what is measured is what it says. */
const TIMEOUT_MS = 110_000;

/** Counts what a reasoner answers and how long it takes. */
export function withCosts(inner: Reasoner) {
  const costs = { answers: 0, failures: 0, ms: 0, stances: { holds: 0, fails: 0, unknown: 0 } };
  const reasoner = wrapReasoner(inner, async (statements, evidence) => {
    const from = performance.now();
    try {
      const judgements = await inner.judge(statements, evidence);
      costs.answers += 1;
      for (const { stance } of judgements) costs.stances[stance] += 1;

      return judgements;
    } catch (error) {
      costs.failures += 1;
      throw error;
    } finally {
      costs.ms += performance.now() - from;
    }
  });

  return { reasoner, costs };
}

/** Prints what a model that judges layer two gains and costs beside the reasoner that everybody has: the same pairs, judged by both. */
export async function printJudged({ baseUrl, model, apiKey, step }: JudgeOptions): Promise<void> {
  const sets = everyPair(generatedSets(generateSuite()), () => step);
  const usage: ReasonerUsage[] = [];
  const asked = openAiReasoner({
    baseUrl,
    model,
    ...(apiKey !== undefined && { apiKey }),
    timeoutMs: TIMEOUT_MS,
    maxRetries: 0,
    onUsage: (each) => usage.push(each),
  });
  const { reasoner: counted, costs } = withCosts(asked);
  console.log(
    `Layer two judged by ${model}, every ${step}th pair; rows that no model is needed for are decided without it.`,
  );
  const reasoners: [name: string, reasoner: Reasoner][] = [
    ["without a model", structuredReasoner()],
    [`by ${model}`, counted],
  ];
  for (const [level, channel] of Object.entries(CHANNELS)) {
    for (const [name, reasoner] of reasoners) {
      const setup = await bareSetup({ channel, reasoner, timeoutMs: TIMEOUT_MS });
      try {
        // What layers would have said that were not asked is not worth a call of the model.
        const results = await judgeSuite({ ...setup, layersOf: () => [] }, sets);
        console.log(
          `\n== ${level}, ${name}\n${poisonTable(results)}\n\n${benignTable(results)}\n\n${pairTable(results)}`,
        );
      } finally {
        await setup.close();
      }
    }
  }
  const { answers, failures, ms, stances } = costs;
  const sum = (countOf: (each: ReasonerUsage) => number) => usage.reduce((total, each) => total + countOf(each), 0);
  console.log(
    `\n${alignedTable(
      [
        "what it cost",
        "answers",
        "none or unusable",
        "tokens in",
        "tokens out",
        "seconds a call",
        "holds / fails / unknown",
      ],
      [
        [
          model,
          String(answers),
          String(failures),
          String(sum(({ promptTokens }) => promptTokens)),
          String(sum(({ completionTokens }) => completionTokens)),
          (ms / 1_000 / Math.max(1, answers + failures)).toFixed(1),
          `${stances.holds} / ${stances.fails} / ${stances.unknown}`,
        ],
      ],
    )}`,
  );
}
