import type { EventSink } from "../../../core/events.ts";
import type { CladeLedger } from "../../around/clade/ledger.ts";
import type { Strictness } from "../../entry.ts";
import type { Reasoner } from "../../ports.ts";
import type { KnowledgeStore } from "../../store/open.ts";
import { claimComparison } from "../../structured/comparison.ts";
import { MentalModelLayer } from "../../structured/mental-model.ts";
import { structuredReasoner } from "../../structured/reasoner.ts";
import { statementReader } from "../../structured/statements.ts";
import { Consensus } from "./consensus.ts";
import { DivergenceLayer, type DivergenceParts } from "./divergence.ts";
import { EmbeddingAnomalyLayer } from "./embedding-anomaly.ts";
import type { ConsensusLayer } from "./layer.ts";

export type ConsensusOptions = {
  store: KnowledgeStore;
  /**
   * Who judges the two paths of layer two; of two providers neither can write both. By default statements are compared by their
   * structure, without a model.
   */
  reasoners?: { baseline: Reasoner; augmented?: Reasoner; timeoutMs?: number };
  /** See `onChainLayer`; without it layer three abstains. */
  onChain?: ConsensusLayer;
  clade?: Pick<CladeLedger, "trustOf" | "recordOwn">;
  /** Validates everything at least this strictly. */
  floor?: Strictness;
  emit?: EventSink;
};

/** Stage two with all its layers. */
export function createConsensus(options: ConsensusOptions): Consensus {
  const { store, clade, floor, emit } = options;

  return new Consensus({
    store,
    layers: consensusLayers(options),
    claims: claimComparison(),
    ...(clade !== undefined && { clade }),
    ...(floor !== undefined && { floor }),
    ...(emit !== undefined && { emit }),
  });
}

/** The layers of stage two, by themselves. */
export function consensusLayers({
  store,
  reasoners = { baseline: structuredReasoner() },
  onChain,
}: Pick<ConsensusOptions, "store" | "reasoners" | "onChain">): ConsensusLayer[] {
  const { grimoire, embedder } = store;

  return [
    new EmbeddingAnomalyLayer(store),
    divergenceLayer({ grimoire, embedder, ...reasoners }),
    new MentalModelLayer(),
    ...(onChain === undefined ? [] : [onChain]),
  ];
}

/** Layer two with the reader of statements that everybody has. */
export function divergenceLayer(parts: Omit<DivergenceParts, "reader">): DivergenceLayer {
  return new DivergenceLayer({ ...parts, reader: statementReader() });
}
