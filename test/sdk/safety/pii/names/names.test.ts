import { createHash } from "node:crypto";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { encodeModel, floats } from "../../../../../scripts/train/onnx.ts";
import { type NerModel, openOnnxNer, openSimpleNer } from "../../../../../sdk/safety/pii/names/names.ts";
import type { OnnxNerOptions } from "../../../../../sdk/safety/pii/names/onnx.ts";

const LABELS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"];
const PIECES = [
  "[PAD]",
  "[UNK]",
  "[CLS]",
  "[SEP]",
  "ada",
  "love",
  "##lace",
  "grace",
  "went",
  "to",
  "new",
  "york",
  "paris",
  "and",
  ",",
];
const CLASSES: Readonly<Record<string, number>> = { ada: 1, love: 2, grace: 1, new: 3, york: 4, paris: 3 };

/** Writes a tokenizer of the kind BERT has and a graph with the inputs and the output of its token classifiers: a table of classes. */
function writeModel(folder: string): OnnxNerOptions {
  const special = PIECES.slice(0, 4);
  const tokenizer = {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: special.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: {
      type: "BertNormalizer",
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: null,
    decoder: { type: "WordPiece", prefix: "##", cleanup: true },
    model: {
      type: "WordPiece",
      unk_token: "[UNK]",
      continuing_subword_prefix: "##",
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(PIECES.map((piece, id) => [piece, id])),
    },
  };
  const table = new Float32Array(PIECES.length * LABELS.length);
  for (const [id, piece] of PIECES.entries()) table[id * LABELS.length + (CLASSES[piece] ?? 0)] = 5;
  const model = encodeModel({
    name: "bert-ner-shaped",
    initializers: [floats("table", [PIECES.length, LABELS.length], table)],
    nodes: [{ op: "Gather", inputs: ["table", "input_ids"], outputs: ["logits"] }],
    inputs: [{ name: "input_ids", type: "int64", dims: ["batch", "sequence"] }],
    outputs: [{ name: "logits", type: "float32", dims: ["batch", "sequence", LABELS.length] }],
  });
  const write = (name: string, bytes: Uint8Array) => {
    writeFileSync(join(folder, name), bytes);

    return { path: join(folder, name), sha256: createHash("sha256").update(bytes).digest("hex") };
  };

  return {
    model: write("model.onnx", model),
    tokenizer: write("tokenizer.json", Buffer.from(JSON.stringify(tokenizer))),
    labels: LABELS,
  };
}

async function found(model: NerModel, text: string): Promise<string[]> {
  return (await model.find(text)).map(({ rule, start, end }) => `${rule}: ${text.slice(start, end)}`);
}

describe("openSimpleNer", () => {
  const model = openSimpleNer();

  after(() => model.close?.());

  it("finds common names of people and places, in their place in the text", async () => {
    const text = "gm 😀\n\nAda Lovelace met Charles Babbage in London.\nThen nobody went to Paris, France.";

    expect(await found(model, text)).to.deep.equal([
      "PERSON: Ada Lovelace",
      "PERSON: Charles Babbage",
      "PLACE: London",
      "PLACE: Paris, France",
    ]);
  });

  it("stops when nobody waits any more", async () => {
    const outcome = await model
      .find("Ada", AbortSignal.abort(new Error("enough")))
      .catch((cause: Error) => cause.message);

    expect(outcome).to.equal("enough");
  });

  it("leaves the caller's thread free, and ends its own when nobody waits for a long text any more", async () => {
    const text = "Ada Lovelace met Charles Babbage in London, and nobody went to Paris.\n".repeat(20_000);
    await model.find("warm");
    const before = performance.eventLoopUtilization();
    const reason = new Error("enough");
    const outcome = await model.find(text, AbortSignal.timeout(700)).catch((cause: Error) => cause.name);
    const { active, idle } = performance.eventLoopUtilization(before);

    expect(outcome).to.equal("TimeoutError");
    expect(active).to.be.lessThan(idle);
    expect(await found(model, "Ada Lovelace")).to.deep.equal(["PERSON: Ada Lovelace"]);
    expect(await model.find(text, AbortSignal.abort(reason)).catch((cause) => cause)).to.equal(reason);
  });
});

describe("openOnnxNer, on a graph of the real inputs and outputs", () => {
  let folder: string;
  let options: OnnxNerOptions;
  let model: NerModel;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "policycage-names-"));
    options = writeModel(folder);
    model = await openOnnxNer(options);
  });

  after(async () => {
    await model.close?.();
    rmSync(folder, { recursive: true });
  });

  it("joins the words of a name, and tells names side by side apart", async () => {
    expect(await found(model, "Ada Lovelace, Grace and Ada Grace went to New York and Paris")).to.deep.equal([
      "PERSON: Ada Lovelace",
      "PERSON: Grace",
      "PERSON: Ada",
      "PERSON: Grace",
      "PLACE: New York",
      "PLACE: Paris",
    ]);
  });

  it("finds names in every window of a long text", async () => {
    const text = `Ada ${"went and went to ".repeat(1000)}New York`;
    const names = await found(model, text);

    expect(names[0]).to.equal("PERSON: Ada");
    expect(names.at(-1)).to.equal("PLACE: New York");
    expect(await found(model, "")).to.deep.equal([]);
    expect(await found(model, "a".repeat(100_000))).to.deep.equal([]);
  });

  it("refuses files that are not the pinned ones, are missing, or do not fit the labels", async () => {
    const outcome = async (changed: Partial<OnnxNerOptions>) => {
      try {
        const opened = await openOnnxNer({ ...options, ...changed });
        await opened.find("Ada").finally(() => opened.close?.());
        return "found";
      } catch (cause) {
        return cause instanceof Error ? cause.message : "thrown";
      }
    };

    expect(await outcome({ model: { ...options.model, sha256: "0".repeat(64) } })).to.match(/is pinned$/);
    expect(await outcome({ model: { ...options.model, path: join(folder, "none.onnx") } })).to.match(/ENOENT/);
    expect(await outcome({ labels: ["O", "B-PER"] })).to.match(/does not fit its labels$/);
    appendFileSync(options.tokenizer.path, " ");
    expect(await outcome({})).to.match(/is pinned$/);
  });
});
