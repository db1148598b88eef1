export { CladeLedger, type CladeParts } from "./clade/ledger.ts";
export {
  type CladeVerdict,
  cladeVerdictMessage,
  parseCladeVerdict,
  writeCladeVerdict,
} from "./clade/verdict.ts";
export { initialConfidence, isInflated } from "./confidence.ts";
export type { ClaimComparison } from "./consensus/batch.ts";
export { claimComparison } from "./consensus/comparison.ts";
export { Consensus, type ConsensusParts, type Verdict } from "./consensus/consensus.ts";
export { type ConsensusOptions, createConsensus } from "./consensus/create.ts";
export { EmbeddingAnomalyLayer } from "./consensus/embedding-anomaly.ts";
export type { Candidate, ConsensusLayer } from "./consensus/layer.ts";
export { type OnChainLayerParts, onChainLayer } from "./consensus/on-chain/layer.ts";
export {
  type Answer,
  type OnChainReader,
  OnChainUnreadError,
  type Read,
  type UnreadCode,
} from "./consensus/on-chain/reader.ts";
export type { ChainRegistry, Exchange } from "./consensus/on-chain/registry.ts";
export { type OnChainReaderOptions, onChainReader } from "./consensus/on-chain/viem-reader.ts";
export { type LiteEmbedderOptions, liteEmbedder } from "./embedder/lite.ts";
export { type SentenceTransformerOptions, sentenceTransformer } from "./embedder/sentence-transformer.ts";
export type * from "./entry.ts";
export { canonicalHash, canonicalText, contentHash, isActionable, meaningOf } from "./entry.ts";
export { IngestionError, type IngestionErrorCode } from "./errors.ts";
export { RelayConnection, type RelayOptions } from "./exchange/connection.ts";
export { type ExchangeParts, FilterExchange } from "./exchange/exchange.ts";
export { type ImportOptions, type ImportProgress, type ImportReport, importArchive } from "./import/import.ts";
export type * from "./ports.ts";
export type { PeerOpinion, QuarantineParts } from "./quarantine/examine.ts";
export { type ProvenanceVerdict, provenanceMessage, verifyProvenance } from "./quarantine/provenance.ts";
export { Quarantine, type Receipt } from "./quarantine/quarantine.ts";
export { erc8004Registry } from "./quarantine/registry.ts";
export { parseSubmission, writeSubmission } from "./quarantine/submission.ts";
export { type OpenAiReasonerOptions, openAiReasoner } from "./reasoner/openai-compatible.ts";
export { structuredReasoner } from "./reasoner/structured.ts";
export { injectionScreen } from "./screen.ts";
export { type KnowledgeStore, openKnowledgeStore } from "./store/open.ts";
export type * from "./store/types.ts";
export { type IngestionToolParts, ingestionTools, quarantinePurchase, type Tool } from "./tools.ts";
