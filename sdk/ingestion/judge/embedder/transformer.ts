import { createHash } from "node:crypto";
import type { InferenceSession } from "onnxruntime-node";
import { readManifest, readPackagedManifest, readPinned } from "../../../models/manifest.ts";
import { openSession } from "../../../models/runtime.ts";
import { loadTrunk, type Trunk } from "../../../models/trunk.ts";
import type { Embedder } from "../../ports.ts";
import { IngestionError } from "../../errors.ts";
import { normalised, runModel, unavailable } from "./runtime.ts";

const MODEL_FILE = "transformer-embedder.onnx";
const DIMENSION = 384;

export type TransformerEmbedderOptions = {
  /** Path of a manifest whose `trunk` and `transformer` entries pin the model; default: the one of `policycage-models`. */
  manifest?: string;
};

/**
 * The sentence transformer of `policycage-models`, untuned: the mean over all tokens of a text, in windows of 96, of length 1 (Reimers and
 * Gurevych 2019). It tells texts by what they say in English, and knows other languages by their letters alone. Its `id` changes with the
 * model's bytes. A text's vector depends on that text alone, and is the same for disguised copies that the safety layer folds to the same text.
 * @throws IngestionError `EMBEDDER_UNAVAILABLE` when the model is missing or not the pinned one; OptionalPackageError without its packages
 */
export async function transformerEmbedder({ manifest: path }: TransformerEmbedderOptions = {}): Promise<Embedder> {
  const { trunk, session, digest } = await open(path).catch((cause: unknown) =>
    unavailable("The embedding model is missing or is not the pinned one; install the package anew.", cause),
  );

  async function vector(text: string): Promise<Float32Array> {
    const total = new Float64Array(DIMENSION);
    for await (const { hidden, mask } of trunk.runWhole(text)) {
      const sums = await runModel(session, { hidden, mask }, "sums");
      if (sums.length !== (mask.dims[0] ?? 0) * DIMENSION) {
        throw new IngestionError("EMBEDDING_INVALID", "The embedding model's answer has the wrong shape.");
      }
      sums.forEach((number, at) => {
        total[at % DIMENSION] = (total[at % DIMENSION] ?? 0) + number;
      });
    }

    return normalised(total);
  }

  await vector("");

  return {
    id: `transformer-${digest}`,
    dimension: DIMENSION,
    async embed(texts) {
      const vectors: Float32Array[] = [];
      for (const text of texts) vectors.push(await vector(text));

      return vectors;
    },
  };
}

async function open(
  path: string | undefined,
): Promise<{ trunk: Trunk; session: InferenceSession; digest: string }> {
  const manifest = await (path === undefined ? readPackagedManifest("policycage/ingestion") : readManifest(path));
  const { transformer, trunk: lower } = manifest;
  if (transformer === undefined || lower === undefined) {
    throw new IngestionError("EMBEDDER_UNAVAILABLE", `${manifest.path} names no transformer for an embedder.`);
  }
  const trunk = await loadTrunk(manifest, "policycage/ingestion");
  const session = await openSession(trunk.runtime, await readPinned(manifest, transformer, MODEL_FILE));
  // They were just verified against these very hashes.
  const hashes = [...lower.files, ...transformer.files].map(({ name, sha256 }) => `${name} ${sha256}`).sort();

  return { trunk, session, digest: createHash("sha256").update(hashes.join("\n")).digest("hex").slice(0, 16) };
}
