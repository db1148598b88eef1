import { claimComparison } from "../../../sdk/ingestion/consensus/comparison.ts";
import { DivergenceLayer } from "../../../sdk/ingestion/consensus/divergence.ts";
import { EmbeddingAnomalyLayer } from "../../../sdk/ingestion/consensus/embedding-anomaly.ts";
import { MentalModelLayer } from "../../../sdk/ingestion/consensus/mental-model.ts";
import { onChainLayer } from "../../../sdk/ingestion/consensus/on-chain/layer.ts";
import { liteEmbedder } from "../../../sdk/ingestion/embedder/lite.ts";
import type { Reasoner } from "../../../sdk/ingestion/ports.ts";
import { structuredReasoner } from "../../../sdk/ingestion/reasoner/structured.ts";
import { injectionScreen } from "../../../sdk/ingestion/screen.ts";
import { createInjectionDetector } from "../../../sdk/safety/injection/detect.ts";
import { createLiteClassifier } from "../../../sdk/safety/injection/lite/lite.ts";
import type { Setup } from "./pipeline.ts";

/** The pipeline as it is installed on a bare machine: no language model, and no node of any chain. */
export async function bareSetup(): Promise<Setup & { close(): Promise<void> }> {
  const detector = createInjectionDetector({ classifier: createLiteClassifier() });
  const reasoner = counting(structuredReasoner());
  const models = new MentalModelLayer();
  const chain = onChainLayer({ registries: [], readers: [] });

  return {
    embedder: await liteEmbedder(),
    injection: injectionScreen(detector),
    layersOf: (store) => [
      new EmbeddingAnomalyLayer(store),
      new DivergenceLayer({ grimoire: store.grimoire, baseline: reasoner }),
      chain,
      models,
    ],
    claimsOf: (store) => claimComparison(store.grimoire),
    reasonerCalls: () => reasoner.calls,
    close: () => detector.close(),
  };
}

function counting(reasoner: Reasoner): Reasoner & { calls: number } {
  return {
    id: reasoner.id,
    calls: 0,
    judge(statements, evidence) {
      this.calls += 1;

      return reasoner.judge(statements, evidence);
    },
  };
}
