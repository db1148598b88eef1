import type { Metric } from "../around/metrics.ts";
import { IngestionError } from "../errors.ts";
import type { InjectionScreen, Reasoner, ReasonerUsage, RegistryReader } from "../ports.ts";
import { wrapReasoner } from "./reasoner/wrap.ts";

/** Seconds. A screening takes milliseconds, a model up to its limit of a minute. */
const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60] as const;

type Port = "reasoner" | "screen" | "registry";
type Times = { counts: number[]; sum: number; count: number };

/** How long others take to answer, how they answer, and what a reasoner costs, since it was made. */
export type PortTiming = {
  reasoner(inner: Reasoner): Reasoner;
  screen(inner: InjectionScreen): InjectionScreen;
  registry(inner: RegistryReader): RegistryReader;
  /** For `onUsage` of a reasoner. */
  used(usage: ReasonerUsage): void;
  metrics(): Metric[];
};

/** Measures ports: each method gives one that does the same and is believed as far, and is measured. `now`: milliseconds. */
export function createPortTiming(now: () => number = () => performance.now()): PortTiming {
  const times = new Map<string, { port: Port; outcome: string } & Times>();
  const tokens = { prompt: 0, completion: 0 };

  function note(port: Port, outcome: string, seconds: number): void {
    const key = `${port} ${outcome}`;
    const found = times.get(key) ?? { port, outcome, counts: BUCKETS.map(() => 0), sum: 0, count: 0 };
    times.set(key, found);
    found.sum += seconds;
    found.count += 1;
    for (const [index, most] of BUCKETS.entries())
      if (seconds <= most) found.counts[index] = (found.counts[index] ?? 0) + 1;
  }

  async function timed<Answer>(
    port: Port,
    work: () => Promise<Answer>,
    told: (answer: Answer) => string,
  ): Promise<Answer> {
    const since = now();
    let outcome = "failed";
    try {
      const answer = await work();
      outcome = told(answer);

      return answer;
    } catch (error) {
      if (error instanceof IngestionError) outcome = error.code;
      throw error;
    } finally {
      note(port, outcome, (now() - since) / 1_000);
    }
  }

  return {
    reasoner: (inner) =>
      wrapReasoner(inner, (statements, evidence) =>
        timed(
          "reasoner",
          () => inner.judge(statements, evidence),
          () => "answered",
        ),
      ),
    screen: (inner) => ({
      screen: (text) =>
        timed(
          "screen",
          () => inner.screen(text),
          ({ outcome }) => outcome,
        ),
    }),
    registry: (inner) => ({
      chainId: inner.chainId,
      walletOf: (agentId) =>
        timed(
          "registry",
          () => inner.walletOf(agentId),
          () => "answered",
        ),
      ownerOf: (agentId) =>
        timed(
          "registry",
          () => inner.ownerOf(agentId),
          () => "answered",
        ),
      acceptsSignature: (...asked) =>
        timed(
          "registry",
          () => inner.acceptsSignature(...asked),
          () => "answered",
        ),
    }),
    used({ promptTokens, completionTokens }) {
      tokens.prompt += promptTokens;
      tokens.completion += completionTokens;
    },
    metrics: () => [
      {
        name: "policycage_ingestion_port_seconds",
        help: "Seconds until somebody else answered, by who was asked and what came of it.",
        type: "histogram",
        samples: [...times.values()].flatMap(({ port, outcome, ...found }) => samplesOf({ port, outcome }, found)),
      },
      {
        name: "policycage_ingestion_reasoner_tokens_total",
        help: "Tokens that reasoners have read (prompt) and written (completion), as they say themselves.",
        type: "counter",
        samples: Object.entries(tokens).map(([kind, value]) => ({ labels: { kind }, value })),
      },
    ],
  };
}

function samplesOf(labels: Record<string, string>, { counts, sum, count }: Times): Metric["samples"] {
  return [
    ...BUCKETS.map(
      (le, index) => ({ suffix: "_bucket", labels: { ...labels, le: String(le) }, value: counts[index] ?? 0 }) as const,
    ),
    { suffix: "_bucket", labels: { ...labels, le: "+Inf" }, value: count },
    { suffix: "_sum", labels, value: sum },
    { suffix: "_count", labels, value: count },
  ];
}
