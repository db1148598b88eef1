import { PolicyCageError } from "../../core/errors.ts";
import { MAX_SCREENED_LENGTH, SCREENING_MS } from "../limits.ts";
import type { ThreatCheck } from "../sanitize/patterns.ts";
import { isAtLeast, type ThreatLevel, threatLevel } from "../sanitize/sanitize.ts";
import { TextThreads } from "../threads/texts.ts";
import type { Channel, InjectionClassifier } from "./classifier/classifier.ts";
import { classifyInjection } from "./decision.ts";
import type { InjectionOffset } from "./read.ts";

export type InjectionVerdict =
  | {
      readonly kind: "clean" | "warn" | "block";
      /** 1 when a pattern matched, else the score. */
      readonly confidence: number;
      readonly patterns: readonly string[];
      /** Name of the classifier that gave the score. */
      readonly classifier: string;
      /** Highest score over the readings of the text. */
      readonly score: number;
      readonly offsets: readonly InjectionOffset[];
      /** What the sanitiser's checks make of it, whatever patterns and classifier say. */
      readonly threat: { readonly level: ThreatLevel; readonly checks: readonly ThreatCheck[] };
    }
  | { readonly kind: "refused"; readonly code: InjectionRefusalCode; readonly advice: string };

type InjectionRefusalCode = "CLASSIFIER_UNAVAILABLE" | "TEXT_TOO_LONG" | "NOT_TEXT";

export type InjectionDetectorOptions = {
  readonly classifier: InjectionClassifier;
  /** The level of {@link sanitizeInput} from which texts of a channel are blocked. Default "critical" for every channel that is not named. */
  readonly blockFrom?: Partial<Record<Channel, ThreatLevel>>;
  /** Milliseconds after which the classifier counts as unavailable. Default 5000. */
  readonly timeoutMs?: number;
  /** UTF-16 units above which a text is refused. Default 2 000 000. */
  readonly maxLength?: number;
};

export type InjectionDetector = {
  /** Judges a text. Never rejects: what cannot be judged is refused. */
  check(text: string, channel: Channel, signal?: AbortSignal): Promise<InjectionVerdict>;
  close(): Promise<void>;
};

const UNSCREENED = "The injection classifier gave no answer, so the text was not screened and must not be used.";
const UNEXPLAINED = "Check that the model file is in place and unchanged (models/manifest.json), or allow more time.";

/** Patterns and classifier over every reading of a text, judged by the decision matrix. The text is read in a thread of its own. */
export function createInjectionDetector(options: InjectionDetectorOptions): InjectionDetector {
  const { classifier, blockFrom = {}, timeoutMs = SCREENING_MS, maxLength = MAX_SCREENED_LENGTH } = options;
  const threads = new TextThreads();

  return {
    async check(text, channel, signal) {
      if (typeof text !== "string") return { kind: "refused", code: "NOT_TEXT", advice: "Pass a string." };
      if (text.length > maxLength) return tooLong(text.length, maxLength);
      try {
        const deadline = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]);
        const { offsets, threats, readings } = await threads.run("read", text, deadline);
        const scores = await until(
          deadline,
          Promise.all(readings.map((reading) => classifier.score(reading.text, channel, deadline))),
        );
        if (!scores.every((score) => score >= 0 && score <= 1)) return unavailable();
        return judge({
          offsets,
          threats,
          score: Math.max(0, ...scores),
          classifier: classifier.name,
          blockFrom: blockFrom[channel] ?? "critical",
        });
      } catch (cause) {
        return unavailable(cause);
      }
    },
    async close() {
      await Promise.all([threads.close(), classifier.close?.()]);
    },
  };
}

function judge({
  offsets,
  threats,
  score,
  classifier,
  blockFrom,
}: {
  offsets: readonly InjectionOffset[];
  threats: readonly ThreatCheck[];
  score: number;
  classifier: string;
  blockFrom: ThreatLevel;
}): InjectionVerdict {
  const patterns = [...new Set(offsets.map(({ pattern }) => pattern))];
  const level = threatLevel(threats);
  const threat = { level, checks: threats };
  const { action, confidence } = classifyInjection(patterns.length > 0, score);
  const found = { patterns, classifier, score, offsets, threat };
  if (isAtLeast(level, blockFrom)) return { kind: "block", confidence: 1, ...found };

  return { kind: action === "pass" ? "clean" : action, confidence, ...found };
}

/** The promise, or a rejection as soon as the signal fires: a classifier that ignores the signal does not hold the caller up. */
async function until<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  signal.throwIfAborted();

  return await new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** Only errors of this package are quoted: others may hold the text. */
function unavailable(cause?: unknown): InjectionVerdict {
  const why = cause instanceof PolicyCageError ? `${cause.message} ${cause.advice}` : UNEXPLAINED;

  return { kind: "refused", code: "CLASSIFIER_UNAVAILABLE", advice: `${UNSCREENED} ${why}` };
}

function tooLong(length: number, limit: number): InjectionVerdict {
  const advice = `The text has ${length} characters, more than the ${limit} that are screened. Split it and screen the parts.`;

  return { kind: "refused", code: "TEXT_TOO_LONG", advice };
}
