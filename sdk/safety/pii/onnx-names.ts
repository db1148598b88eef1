import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Tokenizer } from "@huggingface/tokenizers";
import { InferenceSession, Tensor } from "onnxruntime-node";
import type { NerModel } from "./names.ts";
import type { PiiFinding } from "./rules.ts";

export type PinnedFile = {
  path: string;
  /** Lower-case hex. A file with another hash is not opened. */
  sha256: string;
};

export type OnnxNerOptions = {
  /** A token classifier: `input_ids` and, where it asks for them, `attention_mask` and `token_type_ids` to `logits`. */
  model: PinnedFile;
  /** Its tokenizer.json. */
  tokenizer: PinnedFile;
  /** Its classes in order, as `id2label` of its config.json has them: "O", "B-PER", "I-PER", "B-LOC" and so on. */
  labels: readonly string[];
};

/** Tokens of a window, the two special ones included; models of this kind take 512. */
const WINDOW = 512;

type Word = { start: number; end: number; ids: readonly number[] };
type Entity = "PERSON" | "PLACE";

/**
 * Opens a token classifier for names on onnxruntime.
 * @throws Error when a file is missing, has another hash than its own, or does not fit the labels
 */
export async function openOnnxNer({ model, tokenizer: file, labels }: OnnxNerOptions): Promise<NerModel> {
  const tokenizer = new Tokenizer(JSON.parse(new TextDecoder().decode(await readPinned(file))), {});
  const session = await InferenceSession.create(await readPinned(model), { logSeverityLevel: 3 });
  const [first, last] = frameOf(tokenizer);

  async function labelsOf(words: readonly Word[]): Promise<(string | undefined)[]> {
    const ids = [first, ...words.flatMap((word) => word.ids), last];
    const logits = await run(session, ids);
    if (logits.length !== ids.length * labels.length)
      throw new Error("The name model's answer does not fit its labels");
    let token = 1;

    // The first part of a word speaks for it, as in training.
    return words.map(({ ids: { length } }) => {
      const scores = logits.subarray(token * labels.length, (token + 1) * labels.length);
      token += length;
      return labels[scores.indexOf(Math.max(...scores))];
    });
  }

  return {
    name: "onnx",
    async find(text, signal) {
      const findings: PiiFinding[] = [];
      for (const words of windowsOf(wordsOf(text, tokenizer))) {
        signal?.throwIfAborted();
        collect(words, await labelsOf(words), findings);
      }
      return findings;
    },
    close: () => session.release(),
  };
}

async function readPinned({ path, sha256 }: PinnedFile): Promise<Uint8Array> {
  const bytes = await readFile(path);
  const actual = createHash("sha256").update(bytes).digest("hex");
  if (actual !== sha256) throw new Error(`${path} has SHA-256 ${actual}, but ${sha256} is pinned`);

  return bytes;
}

/** The tokens around a text, by the names that BERT's and RoBERTa's families give them. */
function frameOf(tokenizer: Tokenizer): readonly [number, number] {
  for (const [open, close] of [
    ["[CLS]", "[SEP]"],
    ["<s>", "</s>"],
  ] as const) {
    const ids = [tokenizer.token_to_id(open), tokenizer.token_to_id(close)] as const;
    if (ids[0] !== undefined && ids[1] !== undefined) return [ids[0], ids[1]];
  }
  throw new Error("The tokenizer has neither [CLS] and [SEP] nor <s> and </s>");
}

const WORD = /[\p{L}\p{M}\p{N}]+|[^\s]/gu;

/** The words of a text with their tokens: encoded one by one, since the tokenizer tells no offsets. */
function wordsOf(text: string, tokenizer: Tokenizer): Word[] {
  return [...text.matchAll(WORD)]
    .map(({ index, 0: word }) => ({
      start: index,
      end: index + word.length,
      // No model knows a longer word; a run of letters must not fill a window.
      ids: tokenizer.encode(word.slice(0, 64), { add_special_tokens: false }).ids.slice(0, 64),
    }))
    .filter(({ ids }) => ids.length > 0);
}

/** Windows that fit the model, each beginning with the last words of the one before: a name may stand on the edge. */
function* windowsOf(words: readonly Word[]): Generator<readonly Word[]> {
  const overlap = 8;
  let from = 0;
  while (from < words.length) {
    let tokens = 2;
    let to = from;
    while (to < words.length && tokens + (words[to]?.ids.length ?? 0) <= WINDOW) {
      tokens += words[to]?.ids.length ?? 0;
      to += 1;
    }
    yield words.slice(from, to);
    from = to < words.length ? Math.max(to - overlap, from + 1) : to;
  }
}

async function run(session: InferenceSession, ids: readonly number[]): Promise<Float32Array> {
  const dims = [1, ids.length];
  const feeds: Record<string, Tensor> = {
    input_ids: new Tensor("int64", BigInt64Array.from(ids, BigInt), dims),
    attention_mask: new Tensor("int64", new BigInt64Array(ids.length).fill(1n), dims),
    token_type_ids: new Tensor("int64", new BigInt64Array(ids.length), dims),
  };
  const wanted = Object.fromEntries(session.inputNames.flatMap((name) => (feeds[name] ? [[name, feeds[name]]] : [])));
  const logits = (await session.run(wanted)).logits?.data;
  if (!(logits instanceof Float32Array) || logits.some(Number.isNaN)) throw new Error("The name model gave no logits");

  return logits;
}

function entityOf(label: string | undefined): Entity | undefined {
  if (label === undefined) return undefined;
  if (/PER/.test(label)) return "PERSON";

  return /LOC|GPE/.test(label) ? "PLACE" : undefined;
}

/** Joins words of one name: the same kind, side by side, and none of them the beginning of another. */
function collect(words: readonly Word[], labels: readonly (string | undefined)[], findings: PiiFinding[]): void {
  let open: PiiFinding | undefined;
  for (const [index, word] of words.entries()) {
    const label = labels[index];
    const rule = entityOf(label);
    if (rule === undefined) {
      open = undefined;
    } else if (open?.rule === rule && label?.startsWith("I") && word.start - open.end <= 2) {
      open.end = word.end;
    } else {
      open = { rule, action: "mask", start: word.start, end: word.end };
      findings.push(open);
    }
  }
}
