import { readVerified } from "../../../models/manifest.ts";
import { loadRuntime, loadTokenizers } from "../../../models/runtime.ts";
import { requireText } from "../../../text/text.ts";
import { fileBeside, WorkerPool } from "../../threads/pool.ts";
import type { PiiFinding } from "../rules/rules.ts";
import type { OnnxNerOptions } from "./onnx.ts";

/** Finds names of people and places in a text. */
export type NerModel = {
  readonly name: string;
  /** Findings of the rules PERSON and PLACE, by place. Rejects on failure. */
  find(text: string, signal?: AbortSignal): Promise<readonly PiiFinding[]>;
  close?(): Promise<void>;
};

/** What a thread needs to look for names. */
export type NamesModel = { readonly kind: "compromise" } | ({ readonly kind: "onnx" } & OnnxNerOptions);

export type NamesTasks = { find: { input: string; output: readonly PiiFinding[] } };

/** A recogniser in a thread of its own, and one more for long texts. */
function threadedNames(model: NamesModel, mayBeKilled: boolean): NerModel {
  const crew = { size: 1, mayBeKilled, subject: "The search for names", code: "NAMES_UNAVAILABLE", data: model };
  const pool = new WorkerPool<NamesTasks>({ ...crew, file: () => fileBeside(import.meta.url, "worker", crew) });

  return {
    name: model.kind,
    async find(text, signal) {
      return await pool.run("find", text, { length: requireText(text).length, signal });
    },
    close: () => pool.close(),
  };
}

/**
 * A small recogniser by word lists and grammar (`compromise`), for English. It knows common names only: an ONNX model finds more. It
 * works in a thread that is started when a text comes, and ends with `close()`.
 */
export function openSimpleNer(): NerModel {
  return threadedNames({ kind: "compromise" }, true);
}

/**
 * Opens a token classifier for names on onnxruntime, in a thread that ends with `close()`.
 * @throws OptionalPackageError without the runtime; Error when a file is missing or has another hash than its own. A model that does
 * not fit the labels fails at the first text.
 */
export async function openOnnxNer(options: OnnxNerOptions): Promise<NerModel> {
  await Promise.all([loadTokenizers("a model of your own"), loadRuntime("a model of your own")]);
  for (const { path, sha256 } of [options.tokenizer, options.model]) await readVerified(path, sha256);

  // The runtime does not stand being interrupted.
  return threadedNames({ kind: "onnx", ...options }, false);
}
