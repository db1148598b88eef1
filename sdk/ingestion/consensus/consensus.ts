import type { EventSink } from "../../events.ts";
import type {
  Author,
  LayerName,
  LayerVote,
  QuarantinedEntry,
  RejectedEntry,
  RejectionCode,
  Strictness,
  ValidatedEntry,
  ValidationResult,
} from "../entry.ts";
import type { KnowledgeStore } from "../store/open.ts";
import { inflatedClaim } from "./inflation.ts";
import { type Candidate, type ConsensusLayer, candidateOf, voteOf } from "./layer.ts";
import { strictnessOf } from "./strictness.ts";
import { tally } from "./tally.ts";

export type ConsensusParts = {
  store: KnowledgeStore;
  /** At most one of a name; a name that is missing abstains. */
  layers: readonly ConsensusLayer[];
  /** How far each clade member is trusted; without it none is. */
  clade?: { trustOf(cladeId: string, author: Author): number };
  /** Validates everything at least this strictly. */
  floor?: Strictness;
  emit?: EventSink;
};

/** Where an entry is now, and why. */
export type Verdict = { entry: ValidatedEntry | RejectedEntry | QuarantinedEntry; result: ValidationResult };

type Decision = { result: ValidationResult; failed?: { layer: LayerName | "confidence"; code: RejectionCode } };

/** Stage two: several layers vote on what is in quarantine, and the entry moves as they say. */
export class Consensus {
  readonly #parts: ConsensusParts;

  constructor(parts: ConsensusParts) {
    this.#parts = parts;
  }

  /**
   * Validates one entry: afterwards it is validated, rejected, or still in quarantine with the verdict beside it (`held`). Throws
   * `StageConflict` when the entry has moved since it was read; a layer's failure is an abstention and throws nothing.
   */
  async validate(entry: QuarantinedEntry): Promise<Verdict> {
    const strictness = this.strictnessFor(entry);
    const early = beforeAnyVote(entry, strictness);
    if (early !== undefined) return this.settle(entry, early);

    const candidate = candidateOf(entry, await this.#parts.store.entries.vectorOf(entry));
    return this.settle(entry, tally(await this.#votes(candidate), strictness));
  }

  strictnessFor({ source, flags }: QuarantinedEntry): Strictness {
    const { clade, floor } = this.#parts;
    const trust =
      source.provenance === "clade" && source.cladeId !== undefined
        ? clade?.trustOf(source.cladeId, source)
        : undefined;

    return strictnessOf({
      channel: source,
      flags,
      ...(trust !== undefined && { trust }),
      ...(floor !== undefined && { floor }),
    });
  }

  /** Moves the entry as the votes say, and tells. */
  async settle(entry: QuarantinedEntry, { result, failed }: Decision): Promise<Verdict> {
    const { store, emit } = this.#parts;
    if (failed !== undefined) {
      const rejected = await store.entries.reject(entry, { code: failed.code, detail: result.reason }, result);
      emit?.({
        type: "GrimoireValidationFailed",
        entryId: entry.id,
        failedLayer: failed.layer,
        reason: failed.code,
      });
      return { entry: rejected, result };
    }
    if (result.outcome !== "passed") return { entry: await store.entries.hold(entry, result), result };

    const validated = await store.entries.validate(entry, result);
    const layersPassed = result.votes.filter(({ vote }) => vote === "pass").map(({ layer }) => layer);
    emit?.({ type: "GrimoireValidationPassed", entryId: entry.id, layersPassed, score: result.score });
    return { entry: validated, result };
  }

  /** Asks the chain first: what is provably false is not worth a reasoner's time. */
  async #votes(candidate: Candidate): Promise<LayerVote[]> {
    const first = this.#parts.layers.filter(({ layer }) => layer === "on_chain");
    const others = this.#parts.layers.filter(({ layer }) => layer !== "on_chain");
    const early = await Promise.all(first.map((layer) => voteOf(layer, candidate)));
    if (early.some(({ isProven, vote }) => isProven && vote === "fail")) return early;

    return [...early, ...(await Promise.all(others.map((layer) => voteOf(layer, candidate))))];
  }
}

/** What is decided without looking at the content's place among other knowledge. */
function beforeAnyVote(entry: QuarantinedEntry, strictness: Strictness): Decision | undefined {
  const result = (outcome: ValidationResult["outcome"], reason: string): ValidationResult => ({
    outcome,
    strictness,
    votes: [],
    score: 0,
    reason,
  });
  if (entry.provenanceState !== "verified") {
    return { result: result("held", "The registry has not confirmed yet who signed it.") };
  }
  if (entry.flags.includes("injection_unscreened")) {
    return { result: result("held", "It has not been screened for injection yet.") };
  }
  const claimed = inflatedClaim(entry.source, entry.content);
  if (claimed !== undefined) {
    return {
      result: result("failed", `It claims a confidence of ${claimed} bps, more than its way here can justify.`),
      failed: { layer: "confidence", code: "ConfidenceInflation" },
    };
  }

  return undefined;
}
