import type * as Tokenizers from "@huggingface/tokenizers";
import type * as Onnx from "onnxruntime-node";
import { importOptional, type OptionalSet } from "./optional.ts";

/**
 * The model runtime, a native library: loaded when a model is, and not before.
 * @throws OptionalPackageError
 */
export async function loadRuntime(set: OptionalSet): Promise<typeof Onnx> {
  return await importOptional("onnxruntime-node", set, () => import("onnxruntime-node"));
}

/**
 * The tokenizers of models that others have trained.
 * @throws OptionalPackageError
 */
export async function loadTokenizers(): Promise<typeof Tokenizers> {
  return await importOptional(
    "@huggingface/tokenizers",
    "a model of your own",
    () => import("@huggingface/tokenizers"),
  );
}
