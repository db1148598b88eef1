import type * as Onnx from "onnxruntime-node";
import { FeatureExtractor, type Features, IDS_PER_TOKEN } from "../../../../models/lite-features.ts";
import { loadRuntime } from "../../../../models/runtime.ts";
import { segmentsOf } from "./segments.ts";

/** Logits of the two heads; the higher, the more likely an attack. */
export type Logits = {
  /** The text as a request of a user. */
  readonly user: number;
  /** The text as data: a tool's answer, a document. */
  readonly data: number;
};

/** Padding costs time, so windows of like length share a batch of at most this many tokens. */
const BATCH_TOKENS = 4096;

/** The trained graph with its feature extraction, on the calling thread. */
export class LiteModel {
  readonly #runtime: typeof Onnx;
  readonly #session: Onnx.InferenceSession;
  readonly #extractor = new FeatureExtractor();

  private constructor(runtime: typeof Onnx, session: Onnx.InferenceSession) {
    this.#runtime = runtime;
    this.#session = session;
  }

  static async load(model: Uint8Array): Promise<LiteModel> {
    const runtime = await loadRuntime("policycage/safety");
    const session = await runtime.InferenceSession.create(model, {
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      logSeverityLevel: 3,
    });

    return new LiteModel(runtime, session);
  }

  /** The highest logits over the segments of the text; `isAborted` is asked between batches. */
  async logits(text: string, isAborted: () => boolean = () => false): Promise<Logits> {
    const windows = segmentsOf(text).filter((tokens) => tokens.length > 0);
    windows.sort((a, b) => a.length - b.length);
    let user = Number.NEGATIVE_INFINITY;
    let data = Number.NEGATIVE_INFINITY;
    for (let start = 0; start < windows.length; ) {
      if (isAborted()) throw new Error("Scoring was aborted");
      let end = start + 1;
      while (end < windows.length && (windows[end]?.length ?? 0) * (end + 1 - start) <= BATCH_TOKENS) end += 1;
      const batch = windows.slice(start, end).map((tokens) => this.#extractor.extract(tokens));
      const logits = await this.#run(batch);
      for (let i = 0; i < batch.length; i += 1) {
        user = Math.max(user, logits[2 * i] ?? Number.NaN);
        data = Math.max(data, logits[2 * i + 1] ?? Number.NaN);
      }
      start = end;
    }

    return { user, data };
  }

  async close(): Promise<void> {
    await this.#session.release();
  }

  async #run(batch: readonly Features[]): Promise<Float32Array> {
    const rows = batch.length;
    const tokens = Math.max(...batch.map(({ tokenCount }) => tokenCount));
    const grams = Math.max(1, ...batch.map(({ gramIds }) => gramIds.length));
    const tokenIds = new Int32Array(rows * tokens * IDS_PER_TOKEN);
    const tokenScales = new Float32Array(rows * tokens);
    const gramIds = new Int32Array(rows * grams);
    const gramScale = new Float32Array(rows);
    batch.forEach((features, row) => {
      tokenIds.set(features.tokenIds, row * tokens * IDS_PER_TOKEN);
      tokenScales.set(features.tokenScales, row * tokens);
      gramIds.set(features.gramIds, row * grams);
      gramScale[row] = 1 / Math.sqrt(Math.max(1, features.gramIds.length));
    });
    const { Tensor } = this.#runtime;
    const output = await this.#session.run({
      tokenIds: new Tensor("int32", tokenIds, [rows, tokens, IDS_PER_TOKEN]),
      tokenScales: new Tensor("float32", tokenScales, [rows, tokens]),
      gramIds: new Tensor("int32", gramIds, [rows, grams]),
      gramScale: new Tensor("float32", gramScale, [rows]),
    });
    const logits = output.logits?.data;
    if (!(logits instanceof Float32Array) || logits.length !== 2 * rows || logits.some(Number.isNaN)) {
      throw new Error("The model's answer has the wrong shape");
    }

    return logits;
  }
}
