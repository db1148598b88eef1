import type { Tokenizer } from "@huggingface/tokenizers";
import type * as Onnx from "onnxruntime-node";
import { fold } from "../text/fold.ts";
import { type Manifest, readPinned } from "./manifest.ts";
import { frameOf } from "./onnx-tokens.ts";
import { importOptional, type OptionalSet } from "./optional.ts";
import { loadRuntime, loadTokenizers, openSession } from "./runtime.ts";

/** Tokens of a passage, the two around it included; what is longer is cut off. */
export const MAX_TOKENS = 96;
/** Longer passages have no more than so many characters read: as many as MAX_TOKENS words of ordinary text hold. */
const MAX_LENGTH = 800;
const WINDOW = MAX_TOKENS - 2;
/** Characters per call of the tokenizer, which is not linear in its input. */
const CHUNK = 20_000;
/** Tokens of a batch, padding included. */
const BATCH_TOKENS = 2048;

/** Passages through the trunk: `rows` of `length` tokens, each a vector. */
type TrunkOutput = {
  readonly hidden: Onnx.Tensor;
  /** 1 for a token, 0 for padding. */
  readonly mask: Onnx.Tensor;
  /** Index of each row's passage. */
  readonly passages: readonly number[];
};

/** What the trunk is asked to read, in batches of passages of like length. */
export type Trunk = {
  readonly runtime: typeof Onnx;
  /** `isCancelled` is asked between batches. */
  run(passages: readonly string[], isCancelled: () => boolean): AsyncGenerator<TrunkOutput>;
  /** All of a text of any length, in windows one after the other: nothing of it is cut off, and its vectors depend on it alone. */
  runWhole(text: string): AsyncGenerator<TrunkOutput>;
};

/** Long names of things, which a transformer would read as dozens of tokens: what kind of thing it is says as much. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/https?:\/\/\S+/g, "http://link"],
  [/0x[0-9a-f]{6,}/gi, "0xabc"],
  [/[\w+/=-]{36,}/g, "code"],
];

export type Transliterate = (text: string) => string;

/** @throws OptionalPackageError */
export async function loadTransliterate(set: OptionalSet): Promise<Transliterate> {
  return (await importOptional("any-ascii", set, () => import("any-ascii"))).default;
}

/** A passage as the trunk reads it: folded, in Latin letters, with short names for addresses, links and blobs. */
export function readable(passage: string, transliterate: Transliterate): string {
  return plain(passage.slice(0, 2 * MAX_LENGTH), transliterate).slice(0, MAX_LENGTH);
}

function plain(passage: string, transliterate: Transliterate): string {
  let text = transliterate(fold(passage).text);
  for (const [expression, name] of NAMES) text = text.replace(expression, name);

  return text;
}

/**
 * The word table and the lower layers of a sentence transformer, which no training here changes: models that stand on it bring their
 * upper layers alone.
 * @throws OptionalPackageError
 */
export async function loadTrunk(manifest: Manifest, set: OptionalSet): Promise<Trunk> {
  const { trunk } = manifest;
  if (trunk === undefined) throw new Error("The manifest names no trunk");
  const read = async (name: string) => await readPinned(manifest, trunk, name);
  const { Tokenizer: Reader } = await loadTokenizers(set);
  const runtime = await loadRuntime(set);
  const transliterate = await loadTransliterate(set);
  const tokenizer = new Reader(JSON.parse(new TextDecoder().decode(await read("trunk-tokenizer.json"))) as object, {});
  const session = await openSession(runtime, await read("trunk.onnx"));

  async function* batches(rows: readonly Row[], isCancelled: () => boolean): AsyncGenerator<TrunkOutput> {
    for (let start = 0; start < rows.length; ) {
      if (isCancelled()) throw new Error("The run of a model was aborted");
      let end = start + 1;
      while (end < rows.length && (rows[end]?.ids.length ?? 0) * (end + 1 - start) <= BATCH_TOKENS) end += 1;
      const batch = rows.slice(start, end);
      const { ids, mask } = padded(
        runtime,
        batch.map((row) => row.ids),
      );
      const { hidden } = await session.run({ ids, mask });
      if (hidden === undefined) throw new Error("The trunk's answer has the wrong shape");
      yield { hidden, mask, passages: batch.map(({ index }) => index) };
      start = end;
    }
  }

  return {
    runtime,
    run: (passages, isCancelled) =>
      batches(
        passages
          .map((passage, index) => ({ index, ids: framed(tokenizer, tokensOf(tokenizer, readable(passage, transliterate))) }))
          .sort((a, b) => a.ids.length - b.ids.length),
        isCancelled,
      ),
    runWhole: (text) => batches([...windowsOf(tokenizer, plain(text, transliterate))], () => false),
  };
}

type Row = { readonly index: number; readonly ids: readonly number[] };

function tokensOf(tokenizer: Tokenizer, text: string): readonly number[] {
  return tokenizer.encode(text, { add_special_tokens: false }).ids;
}

/** What is too long is cut off. */
function framed(tokenizer: Tokenizer, tokens: readonly number[]): readonly number[] {
  const [first, last] = frameOf(tokenizer);

  return [first, ...tokens.slice(0, WINDOW), last];
}

/** A text without tokens has one window without any. */
function* windowsOf(tokenizer: Tokenizer, text: string): Generator<Row> {
  let index = 0;
  for (let start = 0; start === 0 || start < text.length; start += CHUNK) {
    const tokens = tokensOf(tokenizer, text.slice(start, start + CHUNK));
    for (let from = 0; from < tokens.length || index === 0; from += WINDOW) {
      yield { index, ids: framed(tokenizer, tokens.slice(from, from + WINDOW)) };
      index += 1;
    }
  }
}

function padded(
  { Tensor }: typeof Onnx,
  rows: readonly (readonly number[])[],
): { ids: Onnx.Tensor; mask: Onnx.Tensor } {
  const length = Math.max(...rows.map((row) => row.length));
  const ids = new BigInt64Array(rows.length * length);
  const mask = new BigInt64Array(rows.length * length);
  for (const [row, tokens] of rows.entries()) {
    ids.set(BigInt64Array.from(tokens, BigInt), row * length);
    mask.fill(1n, row * length, row * length + tokens.length);
  }

  return {
    ids: new Tensor("int64", ids, [rows.length, length]),
    mask: new Tensor("int64", mask, [rows.length, length]),
  };
}
