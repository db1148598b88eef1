import type * as Onnx from "onnxruntime-node";
import { IngestionError } from "../errors.ts";

/** The model runtime, a native library: loaded when an embedder is made, and not before. */
export async function loadRuntime(): Promise<typeof Onnx> {
  try {
    return await import("onnxruntime-node");
  } catch (cause) {
    return unavailable("onnxruntime-node can not be loaded on this machine; install the package anew.", cause);
  }
}

export function unavailable(sentence: string, cause: unknown): never {
  throw new IngestionError("EmbedderUnavailable", sentence, { cause });
}

/** The numbers of a model's answer. */
export function vectorOf(tensor: Onnx.Tensor | undefined): Float32Array {
  const data = tensor?.data;
  if (!(data instanceof Float32Array) || data.length === 0 || !data.every(Number.isFinite)) {
    throw new IngestionError("EmbeddingInvalid", "The model's answer is no vector of finite numbers.");
  }

  return data;
}
