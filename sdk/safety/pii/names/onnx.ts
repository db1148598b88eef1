import type { Tokenizer } from "@huggingface/tokenizers";
import type * as Onnx from "onnxruntime-node";
import { readVerified } from "../../../models/manifest.ts";
import { feedsOf, frameOf } from "../../../models/onnx-tokens.ts";
import { loadRuntime, loadTokenizers } from "../../../models/runtime.ts";
import { ThreadError } from "../../threads/pool.ts";
import type { PiiFinding } from "../rules/rules.ts";
import type { FindNames } from "./simple.ts";

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

/** Names by a token classifier. The thread that loads it must not be interrupted in a run. */
export async function loadOnnxNames({ model, tokenizer: file, labels }: OnnxNerOptions): Promise<FindNames> {
  const { Tokenizer } = await loadTokenizers("a model of your own");
  const runtime = await loadRuntime("a model of your own");
  const tokenizer = new Tokenizer(JSON.parse(new TextDecoder().decode(await readVerified(file.path, file.sha256))), {});
  const bytes = await readVerified(model.path, model.sha256);
  const session = await runtime.InferenceSession.create(bytes, { logSeverityLevel: 3 });
  const [first, last] = frameOf(tokenizer);

  async function labelsOf(words: readonly Word[]): Promise<(string | undefined)[]> {
    const ids = [first, ...words.flatMap((word) => word.ids), last];
    const logits = await run(runtime, session, ids);
    if (logits.length !== ids.length * labels.length) {
      throw new ThreadError("The name model's answer does not fit its labels", {
        code: "NAMES_UNAVAILABLE",
        advice: "Give the labels in the order of id2label in the model's config.json.",
      });
    }
    let token = 1;

    // The first part of a word speaks for it, as in training.
    return words.map(({ ids: { length } }) => {
      const scores = logits.subarray(token * labels.length, (token + 1) * labels.length);
      token += length;

      return labels[scores.indexOf(Math.max(...scores))];
    });
  }

  return async (text, isCancelled) => {
    const findings: PiiFinding[] = [];
    for (const words of windowsOf(wordsOf(text, tokenizer))) {
      if (isCancelled()) break;
      collect(words, await labelsOf(words), findings);
    }

    return findings;
  };
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

async function run(
  runtime: typeof Onnx,
  session: Onnx.InferenceSession,
  ids: readonly number[],
): Promise<Float32Array> {
  const logits = (await session.run(feedsOf(runtime, session, ids))).logits?.data;
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
