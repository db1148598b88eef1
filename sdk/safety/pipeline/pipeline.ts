import type { Channel } from "../injection/classifier/classifier.ts";
import type { InjectionDetector, InjectionVerdict } from "../injection/detect.ts";
import { MAX_SCREENED_LENGTH, SCREENING_MS } from "../limits.ts";
import { type MaskResult, PiiDeidentifier } from "../pii/mask/deidentifier.ts";
import { VaultError } from "../pii/mask/seal.ts";
import type { NerModel } from "../pii/names/names.ts";
import type { PiiFinding } from "../pii/rules/rules.ts";
import { TextThreads } from "../threads/texts.ts";
import type { Refusal, RefusalCode, SafetyVerdict } from "./verdict.ts";

export type SafetyPipelineOptions = {
  injection: InjectionDetector;
  /** Finds names of people and places, which are then masked. None when left out. */
  names?: NerModel;
  /** Milliseconds for a whole check, batches included. Default 5000. */
  deadlineMs?: number;
  /** UTF-16 units above which a text is refused. Default 2 000 000. */
  maxLength?: number;
};

export type CheckOptions = {
  /** Where the text comes from. */
  channel: Channel;
  /** Whose placeholders are used. A new session when left out. */
  session?: PiiDeidentifier;
  signal?: AbortSignal;
};

/** What is known of a text before anything is masked. */
type Judgement = Refusal | { kind: "judged"; findings: readonly PiiFinding[]; injection: InjectionVerdict };

const ADVICE: Readonly<Record<RefusalCode, string>> = {
  CLASSIFIER_UNAVAILABLE:
    "The injection classifier gave no answer: check that its model is in place and unchanged, then screen the text again.",
  NAMES_UNAVAILABLE: "The name model gave no answer: check that it is in place, or configure the pipeline without one.",
  SCAN_FAILED:
    "The scan for keys and personal data failed: screen the text again, and report the text's shape if it fails again.",
  DEADLINE_EXCEEDED: "Screening took longer than allowed: allow more time, or split the text and screen its parts.",
  TEXT_TOO_LONG: "The text is longer than what is screened: split it and screen its parts.",
  VAULT_FULL: "The session's vault has no room for the text's values: begin a new session, or make its limit larger.",
  NOT_TEXT: "Only text can be screened: pass a string.",
};

export function refuse(code: RefusalCode): Refusal {
  return { kind: "refused", code, advice: ADVICE[code] };
}

/**
 * Screens texts before a model sees them: the scan for keys and personal data and the injection detector side by side, in threads of
 * their own, under one deadline. Fails closed: whatever goes wrong is a refusal with a code, never a text.
 */
export class SafetyPipeline {
  readonly #injection: InjectionDetector;
  readonly #names: NerModel | undefined;
  readonly #deadlineMs: number;
  readonly #maxLength: number;
  readonly #threads = new TextThreads();

  constructor({ injection, names, deadlineMs = SCREENING_MS, maxLength = MAX_SCREENED_LENGTH }: SafetyPipelineOptions) {
    this.#injection = injection;
    this.#names = names;
    this.#deadlineMs = deadlineMs;
    this.#maxLength = maxLength;
  }

  /** Screens one text. Never rejects. */
  async check(input: string, options: CheckOptions): Promise<SafetyVerdict> {
    const [verdict] = await this.checkAll([input], options);

    return verdict ?? refuse("NOT_TEXT");
  }

  /** Screens texts that belong together, such as the messages of a request: one session, one deadline. Never rejects. */
  async checkAll(inputs: readonly string[], { channel, session = new PiiDeidentifier(), signal }: CheckOptions) {
    const deadline = performance.now() + this.#deadlineMs;
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), this.#deadlineMs);
    const limit = signal === undefined ? timeout.signal : AbortSignal.any([timeout.signal, signal]);
    const judgements = await Promise.all(
      inputs.map((input) =>
        // A detector that is not of this package may answer anything.
        this.#judge(input, channel, session, limit).catch(() => refuse("CLASSIFIER_UNAVAILABLE")),
      ),
    );
    clearTimeout(timer);

    // In the order of the texts, so that placeholders are numbered alike every time.
    return judgements.map((judgement, index): SafetyVerdict => {
      if (performance.now() > deadline) return refuse("DEADLINE_EXCEEDED");

      return verdictOn(inputs[index] ?? "", judgement, session);
    });
  }

  /** Ends the threads and frees the models. */
  async close(): Promise<void> {
    await Promise.all([this.#threads.close(), this.#injection.close(), this.#names?.close?.()]);
  }

  async #judge(text: unknown, channel: Channel, session: PiiDeidentifier, signal: AbortSignal): Promise<Judgement> {
    if (typeof text !== "string") return refuse("NOT_TEXT");
    if (text.length > this.#maxLength) return refuse("TEXT_TOO_LONG");
    if (signal.aborted) return refuse("DEADLINE_EXCEEDED");

    const [injection, findings, names] = await Promise.all([
      settled("CLASSIFIER_UNAVAILABLE", signal, () => this.#injection.check(text, channel, signal)),
      settled("SCAN_FAILED", signal, () => session.scanIn(this.#threads, text, channel, signal)),
      settled("NAMES_UNAVAILABLE", signal, async () => (await this.#names?.find(text, signal)) ?? []),
    ]);
    if ("kind" in injection && injection.kind === "refused") return fromDetector(injection);
    if ("kind" in findings) return findings;
    if ("kind" in names) return names;

    return { kind: "judged", findings: [...findings, ...names], injection };
  }
}

/** What the work gives, or a refusal: when it fails, by its code; when the time is over first, DEADLINE_EXCEEDED. */
function settled<Value>(code: RefusalCode, signal: AbortSignal, work: () => Promise<Value>): Promise<Value | Refusal> {
  return new Promise((resolve) => {
    const expire = () => resolve(refuse("DEADLINE_EXCEEDED"));
    signal.addEventListener("abort", expire, { once: true });
    const finish = (result: Value | Refusal) => {
      signal.removeEventListener("abort", expire);
      resolve(result);
    };
    try {
      work().then(finish, () => finish(refuse(code)));
    } catch {
      finish(refuse(code));
    }
  });
}

function fromDetector({ code, advice }: Extract<InjectionVerdict, { kind: "refused" }> | Refusal): Refusal {
  return { kind: "refused", code, advice };
}

function verdictOn(text: string, judgement: Judgement, session: PiiDeidentifier): SafetyVerdict {
  if (judgement.kind === "refused") return judgement;

  const { findings, injection: classification } = judgement;
  if (findings.some(({ action }) => action === "block")) return { kind: "piiBlocked", findings };
  switch (classification.kind) {
    case "refused":
      return fromDetector(classification);
    case "block":
      return { kind: "injectionBlocked", classification, findings };
    case "warn":
    case "clean": {
      const masked = maskedBy(session, text, findings);
      if (masked === undefined) return refuse("VAULT_FULL");
      if (masked.kind === "blocked") return { kind: "piiBlocked", findings };
      const isWarning = classification.kind === "warn" || findings.some(({ action }) => action === "warn");

      return {
        kind: isWarning ? "passWithWarning" : "clean",
        maskedText: masked.text,
        deidentifier: session,
        classification,
        findings,
      };
    }
    default:
      return refuse("CLASSIFIER_UNAVAILABLE");
  }
}

/** Undefined where the session has no room for the values. */
function maskedBy(session: PiiDeidentifier, text: string, findings: readonly PiiFinding[]): MaskResult | undefined {
  try {
    return session.maskFound(text, findings);
  } catch (error) {
    if (error instanceof VaultError) return undefined;
    throw error;
  }
}
