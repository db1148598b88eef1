import { type MappedText, type Span, unchanged } from "../../text/mapped.ts";
import { type Cut, cutText } from "../cut/cut.ts";
import { keepWithheld, type Withheld, type WithheldTexts } from "../cut/withheld.ts";
import type { Channel } from "../injection/classifier/classifier.ts";
import type { InjectionDetector } from "../injection/detect.ts";
import { MAX_SCREENED_LENGTH, SCREENING_MS } from "../limits.ts";
import { type MaskResult, PiiDeidentifier } from "../pii/mask/deidentifier.ts";
import { VaultError } from "../pii/mask/seal.ts";
import type { NerModel } from "../pii/names/names.ts";
import { isPiiRule, type PiiFinding } from "../pii/rules/rules.ts";
import { TextThreads } from "../threads/texts.ts";
import type { InjectionClassification, Refusal, RefusalCode, SafetyVerdict } from "./verdict.ts";

/**
 * What is done with a text in which an injection is found. `note`: it is blocked in the block band and passes with a warning below.
 * `cut`: what is found is withheld, and the rest passes with a warning if nothing is found in it, or is blocked. `block`: it is blocked.
 */
export type InjectionAction = "note" | "cut" | "block";

export type SafetyPipelineOptions = {
  injection: InjectionDetector;
  /** What is done by channel. Default: tool results and documents are cut, users' texts noted. */
  onInjection?: Partial<Record<Channel, InjectionAction>>;
  /** Where withheld parts are kept. Default: in memory, the last 4 000 000 characters. */
  withheld?: WithheldTexts;
  /**
   * Finds names of people and places, which are then masked. None when left out. Of `openNer()` the deadline allows some 150 000 characters.
   * It ends with the pipeline.
   */
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

/** What the scan and the detector say of a text. */
type Screening = { kind: "screened"; findings: readonly PiiFinding[]; injection: InjectionClassification };

/** What may pass of a text, with places in the text as it came. */
type Passing = { rest: MappedText; findings: readonly PiiFinding[]; withheld: readonly Withheld[] };

/** What is known of a text before anything is masked. Nothing may pass where `passing` is missing. */
type Judgement =
  | Refusal
  | {
      kind: "judged";
      findings: readonly PiiFinding[];
      injection: InjectionClassification;
      passing: Passing | undefined;
    };

const DEFAULT_ACTIONS: Readonly<Record<Channel, InjectionAction>> = { user: "note", tool: "cut", document: "cut" };

/** How often what remains of a text is searched again. */
const MOST_ROUNDS = 3;

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
  readonly #onInjection: Partial<Record<Channel, InjectionAction>>;
  readonly #withheld: WithheldTexts;
  readonly #names: NerModel | undefined;
  readonly #deadlineMs: number;
  readonly #maxLength: number;
  readonly #threads = new TextThreads();

  constructor({
    injection,
    onInjection = {},
    withheld = keepWithheld(),
    names,
    deadlineMs = SCREENING_MS,
    maxLength = MAX_SCREENED_LENGTH,
  }: SafetyPipelineOptions) {
    this.#injection = injection;
    this.#onInjection = { ...onInjection };
    this.#withheld = withheld;
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
    return judgements.map((judgement): SafetyVerdict => {
      if (performance.now() > deadline) return refuse("DEADLINE_EXCEEDED");

      return verdictOn(judgement, session);
    });
  }

  /** Ends the threads and frees the models. */
  async close(): Promise<void> {
    await Promise.all([this.#threads.close(), this.#injection.close(), this.#names?.close?.()]);
  }

  /** What was withheld under an ID; undefined for one that was never given out, or whose text is kept no more. */
  async withheldText(id: string): Promise<string | undefined> {
    return await this.#withheld.find(id);
  }

  async #judge(text: unknown, channel: Channel, session: PiiDeidentifier, signal: AbortSignal): Promise<Judgement> {
    if (typeof text !== "string") return refuse("NOT_TEXT");
    if (text.length > this.#maxLength) return refuse("TEXT_TOO_LONG");
    if (signal.aborted) return refuse("DEADLINE_EXCEEDED");

    const screening = await this.#screen(text, channel, session, signal);
    if (screening.kind === "refused") return screening;
    const { findings, injection } = screening;
    const judged = { kind: "judged", findings, injection } as const;
    const whole = { rest: unchanged(text), findings, withheld: [] };
    if (injection.kind === "clean") return { ...judged, passing: whole };
    const action = this.#onInjection[channel] ?? DEFAULT_ACTIONS[channel];
    if (action === "note" && injection.kind === "warn") return { ...judged, passing: whole };
    if (action !== "cut" || isBlocked(findings)) return { ...judged, passing: undefined };

    const passing = await this.#cut(text, channel, session, signal);

    return passing === undefined || "rest" in passing ? { ...judged, passing } : passing;
  }

  async #screen(
    text: string,
    channel: Channel,
    session: PiiDeidentifier,
    signal: AbortSignal,
  ): Promise<Screening | Refusal> {
    const [injection, findings, names] = await Promise.all([
      this.#classify(text, channel, signal),
      settled("SCAN_FAILED", signal, () => session.scanIn(this.#threads, text, channel, signal)),
      settled("NAMES_UNAVAILABLE", signal, () => this.#find(text, signal)),
    ]);
    if (injection.kind === "refused") return injection;
    if ("kind" in findings) return findings;
    if ("kind" in names) return names;

    return { kind: "screened", findings: [...findings, ...names], injection };
  }

  async #find(text: string, signal: AbortSignal): Promise<readonly PiiFinding[]> {
    if (this.#names === undefined) return [];
    const found: unknown = await this.#names.find(text, signal);
    // A model that is not of this package may answer anything.
    if (!Array.isArray(found) || !found.every((finding) => isMaskIn(text, finding))) {
      throw new Error("The name model answered something else than places in the text");
    }

    return found;
  }

  async #classify(text: string, channel: Channel, signal: AbortSignal): Promise<InjectionClassification | Refusal> {
    const verdict = await settled("CLASSIFIER_UNAVAILABLE", signal, () => this.#injection.check(text, channel, signal));
    switch (verdict.kind) {
      case "refused":
        return { kind: "refused", code: verdict.code, advice: verdict.advice };
      case "clean":
      case "warn":
      case "block":
        return verdict;
      default:
        return refuse("CLASSIFIER_UNAVAILABLE");
    }
  }

  /**
   * Withholds of a text what is flagged, and judges the rest as if it had come so: nothing passes that any layer objects to. It is
   * judged around the marks without them, too, lest a decoy in the middle of an order hide it. Undefined where nothing may pass.
   */
  async #cut(
    text: string,
    channel: Channel,
    session: PiiDeidentifier,
    signal: AbortSignal,
  ): Promise<Passing | Judgement | undefined> {
    const split = await settled("SCAN_FAILED", signal, () => this.#threads.run("units", text, signal));
    if ("kind" in split) return split;
    const { units, isJson } = split;
    let refusal: Refusal | undefined;
    const judge = async ({ start, end }: Span) => {
      const verdict = await this.#classify(text.slice(start, end), channel, signal);
      if (verdict.kind === "refused") refusal = verdict;

      return verdict.kind !== "clean";
    };
    let cut: Cut | undefined;
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      cut = await cutText({ text, units, before: cut, isFlagged: judge, isStopped: () => refusal !== undefined });
      if (refusal !== undefined) return refusal;
      if (cut === undefined) return undefined;

      const { rest, joined, withheld } = cut;
      const [screening, unmarked] = await Promise.all([
        this.#screen(rest.text, channel, session, signal),
        this.#classify(joined, channel, signal),
      ]);
      if (screening.kind === "refused") return screening;
      if (unmarked.kind === "refused") return unmarked;
      const { findings, injection } = screening;
      if (isBlocked(findings)) {
        return { kind: "judged", findings: mapped(findings, rest), injection, passing: undefined };
      }
      if (injection.kind !== "clean" || unmarked.kind !== "clean") continue;

      const isKept = await settled("SCAN_FAILED", signal, async () => {
        if (isJson && !(await this.#threads.run("isJson", rest.text, signal))) return false;
        await Promise.all(withheld.map(({ id, start, end }) => this.#withheld.keep(id, text.slice(start, end))));

        return true;
      });

      return isKept === true ? { rest, findings, withheld } : undefined;
    }

    return undefined;
  }
}

function isBlocked(findings: readonly PiiFinding[]): boolean {
  return findings.some(({ action }) => action === "block");
}

/** Findings of a text by their places in the text that it was made from. */
function mapped(findings: readonly PiiFinding[], { source }: MappedText): PiiFinding[] {
  return findings.map((finding) => ({ ...finding, ...source(finding.start, finding.end) }));
}

/** What the work gives, or a refusal: when it fails, by its code; when the time is over first, DEADLINE_EXCEEDED. */
function settled<Value>(code: RefusalCode, signal: AbortSignal, work: () => Promise<Value>): Promise<Value | Refusal> {
  return new Promise((resolve) => {
    const expire = () => resolve(refuse("DEADLINE_EXCEEDED"));
    if (signal.aborted) return expire();
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

function verdictOn(judgement: Judgement, session: PiiDeidentifier): SafetyVerdict {
  if (judgement.kind === "refused") return judgement;

  const { findings, injection: classification, passing } = judgement;
  if (isBlocked(findings)) return { kind: "piiBlocked", findings };
  if (passing === undefined) return { kind: "injectionBlocked", classification, findings };

  const { rest, withheld } = passing;
  const masked = maskedBy(session, rest.text, passing.findings);
  if (masked === undefined) return refuse("VAULT_FULL");
  const passed = { deidentifier: session, classification, findings: mapped(passing.findings, rest) };
  if (masked.kind === "blocked") return { kind: "piiBlocked", findings: passed.findings };
  const isWarning = classification.kind !== "clean" || passing.findings.some(({ action }) => action === "warn");

  return isWarning
    ? { kind: "passWithWarning", maskedText: masked.text, withheld, ...passed }
    : { kind: "clean", maskedText: masked.text, ...passed };
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

function isMaskIn(text: string, finding: unknown): boolean {
  const { rule, action, start, end } = (finding ?? {}) as Partial<PiiFinding>;

  return (
    typeof rule === "string" &&
    isPiiRule(rule) &&
    action === "mask" &&
    Number.isInteger(start) &&
    Number.isInteger(end) &&
    0 <= Number(start) &&
    Number(start) < Number(end) &&
    Number(end) <= text.length
  );
}
