import { createHash } from "node:crypto";
import { PolicyCageError } from "../../core/errors.ts";
import type { InjectionClassifier } from "../../safety/injection/classifier/classifier.ts";
import {
  createInjectionDetector,
  type InjectionDetector,
  type InjectionVerdict,
} from "../../safety/injection/detect.ts";
import type { PiiDeidentifier } from "../../safety/pii/mask/deidentifier.ts";
import type { NerModel } from "../../safety/pii/names/names.ts";
import type { PiiFinding } from "../../safety/pii/rules/rules.ts";
import { SafetyPipeline } from "../../safety/pipeline/pipeline.ts";
import { TextThreads } from "../../safety/threads/texts.ts";
import { GatewayError, RequestRefused } from "../errors.ts";

/** Texts that were clean, as digests: an agent sends its tools with every request. */
class CleanTexts {
  readonly #digests = new Set<string>();

  has(digest: string): boolean {
    return this.#digests.has(digest);
  }

  add(digest: string): void {
    const [oldest] = this.#digests;
    if (this.#digests.size >= MOST_KNOWN && oldest !== undefined) this.#digests.delete(oldest);
    this.#digests.add(digest);
  }
}

const MOST_KNOWN = 10_000;

/** Models are read from disk and verified, which takes longer than a text may. */
const LOADING_TRIES = 10;

/** All that judges texts for a gateway. */
export class Screens {
  readonly detector: InjectionDetector;
  readonly pipeline: SafetyPipeline;
  /** For what a model said before: where it quotes an injection this is cut, or its conversation could not go on. */
  readonly quoting: SafetyPipeline;
  /** A vault for what is only looked at. */
  readonly scratch: () => PiiDeidentifier;
  readonly #names: NerModel | undefined;
  readonly #threads = new TextThreads();
  readonly #judged = new CleanTexts();
  readonly #scanned = new CleanTexts();

  constructor(classifier: InjectionClassifier, names: NerModel | undefined, scratch: () => PiiDeidentifier) {
    this.detector = createInjectionDetector({ classifier });
    this.#names = names;
    const parts = { injection: this.detector, ...(names && { names }) };
    this.pipeline = new SafetyPipeline(parts);
    this.quoting = new SafetyPipeline({ ...parts, onInjection: { user: "cut" } });
    this.scratch = scratch;
  }

  /** Loads the models, and starts the threads for short texts and for long ones. @throws GatewayError */
  async load(): Promise<void> {
    for (const text of ["Swap 10 USDC.", "Swap 10 USDC. ".repeat(3_000)]) {
      let verdict = await this.detector.check(text, "tool");
      for (let tries = 1; verdict.kind === "refused" && tries < LOADING_TRIES; tries += 1) {
        verdict = await this.detector.check(text, "tool");
      }
      if (verdict.kind === "refused") throw new GatewayError("MODELS_UNAVAILABLE", verdict.advice);
      await this.#names?.find(text).catch((cause: unknown) => {
        throw new GatewayError(
          "MODELS_UNAVAILABLE",
          cause instanceof PolicyCageError ? cause.advice : "The name model gave no answer.",
        );
      });
    }
  }

  /** Keys and personal data in a text that no user says. @throws RequestRefused */
  async scan(text: string, session: PiiDeidentifier, signal: AbortSignal): Promise<PiiFinding[]> {
    return (await this.#inspect(text, session, signal)).findings;
  }

  async #inspect(text: string, session: PiiDeidentifier, signal: AbortSignal) {
    try {
      return await session.inspectIn(this.#threads, text, "document", signal);
    } catch (cause) {
      throw new RequestRefused("SCREENING_FAILED", "A text could not be scanned for keys and personal data.", {
        cause,
      });
    }
  }

  /** As {@link scan}, of a text that comes again and again. @throws RequestRefused */
  async scanKnown(text: string, session: PiiDeidentifier, signal: AbortSignal): Promise<PiiFinding[]> {
    const digest = digestOf(text);
    if (this.#scanned.has(digest)) return [];
    const { findings, isOfSession } = await this.#inspect(text, session, signal);
    if (findings.length === 0 && !isOfSession) this.#scanned.add(digest);

    return findings;
  }

  /** Judges a text that comes again and again, as a user's. */
  async judgeKnown(text: string, signal: AbortSignal): Promise<InjectionVerdict | undefined> {
    const digest = digestOf(text);
    if (this.#judged.has(digest)) return undefined;
    const verdict = await this.detector.check(text, "user", signal);
    if (verdict.kind === "clean") this.#judged.add(digest);

    return verdict;
  }

  async close(): Promise<void> {
    await this.pipeline.close();
    await Promise.all([this.quoting.close(), this.#threads.close()]);
  }
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
