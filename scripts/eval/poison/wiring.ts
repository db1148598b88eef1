import { EmbeddingAnomalyLayer } from "../../../sdk/ingestion/consensus/embedding-anomaly.ts";
import type { ConsensusLayer } from "../../../sdk/ingestion/consensus/layer.ts";
import { injectionScreen } from "../../../sdk/ingestion/screen.ts";
import { createInjectionDetector } from "../../../sdk/safety/injection/detect.ts";
import { createLiteClassifier } from "../../../sdk/safety/injection/lite/lite.ts";
// WIP: replaced when all layers are there.
import { hashingEmbedder } from "../../../test/sdk/ingestion/support/embedder.ts";
import type { Setup } from "./pipeline.ts";

/** The pipeline as it is installed on a bare machine: no language model and no chain. */
export async function bareSetup(): Promise<Setup & { close(): Promise<void> }> {
  const detector = createInjectionDetector({ classifier: createLiteClassifier() });

  return {
    embedder: hashingEmbedder(256),
    injection: injectionScreen(detector),
    layersOf: (store): ConsensusLayer[] => [new EmbeddingAnomalyLayer(store)],
    claimsOf: () => ({ isContested: async () => false, contradictions: () => [] }),
    reasonerCalls: () => 0,
    close: () => detector.close(),
  };
}
