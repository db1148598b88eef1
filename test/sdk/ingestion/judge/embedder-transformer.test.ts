import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { MANIFEST_FILE } from "../../../../scripts/lib/models.ts";
import { embedAll } from "../../../../sdk/ingestion/embedding.ts";
import { liteEmbedder } from "../../../../sdk/ingestion/judge/embedder/lite.ts";
import { packagedEmbedder } from "../../../../sdk/ingestion/judge/embedder/packaged.ts";
import { transformerEmbedder } from "../../../../sdk/ingestion/judge/embedder/transformer.ts";
import type { Embedder } from "../../../../sdk/ingestion/ports.ts";
import { openKnowledgeStore } from "../../../../sdk/ingestion/store/open.ts";
import { cosine } from "../support/vectors/cosine.ts";

const LOAN = "Lending pools liquidate a borrower once health drops below one.";
/** The same in altogether other words. */
const OTHERWISE = [
  [LOAN, "When a loan is no longer safe, its collateral is sold off."],
  ["Transactions are cheaper at the weekend.", "On Saturdays and Sundays gas costs less."],
  ["The oracle reports stale prices.", "Quotes from the data feed are out of date."],
  ["Attackers manipulated the governance vote.", "Somebody malicious rigged the ballot of the token holders."],
] as const;
const FORUM = "Liquidity outside the current price range earns no fees until the price comes back.";
const FILES = ["transformer-embedder.onnx", "trunk.onnx", "trunk-tokenizer.json"] as const;

describe("transformer embedder", () => {
  let embedder: Embedder;
  let folder: string;

  before(async () => {
    embedder = await transformerEmbedder();
  });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "transformer-"));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  async function one(text: string, by = embedder): Promise<Float32Array> {
    const [vector] = await embedAll(by, [text]);
    if (vector === undefined) throw new Error("There is no vector");

    return vector;
  }

  it("knows what is said in other words, which the table of words does not", async () => {
    const gain = async (by: Embedder) => {
      let sum = 0;
      for (const [text, again] of OTHERWISE) {
        const vector = await one(text, by);
        sum += cosine(vector, await one(again, by)) - cosine(vector, await one(FORUM, by));
      }

      return sum / OTHERWISE.length;
    };

    const gains = [await gain(await liteEmbedder()), await gain(embedder)];
    expect(gains[1], String(gains)).to.be.greaterThan((gains[0] ?? 0) + 0.2);
  });

  it("does not move for disguises that the safety layer folds", async () => {
    const plain = await one(LOAN);
    const lookAlikes = LOAN.replaceAll("o", "\u043e").replaceAll("a", "\u0430");
    const wide = LOAN.replace(/[a-z]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0));
    for (const disguised of [lookAlikes, [...LOAN].join("\u200b"), wide, LOAN.toUpperCase()]) {
      expect(disguised).not.to.equal(LOAN);
      expect(await one(disguised)).to.deep.equal(plain);
    }
  });

  it("gives a text the same vector alone, among others, in any order and at any time", async () => {
    const others = [FORUM, "", "x".repeat(2_000), LOAN.repeat(40)];
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "binary" }),
        fc.shuffledSubarray(others),
        fc.nat(4),
        async (text, beside, at) => {
          const among = [...beside.slice(0, at), text, ...beside.slice(at)];
          const [alone, together] = await Promise.all([one(text), embedAll(embedder, among)]);

          expect(together[Math.min(at, beside.length)]).to.deep.equal(alone);
        },
      ),
      { numRuns: 20 },
    );
  });

  it("reads a long text to its end, and whatever is no proper text", async () => {
    const long = `${LOAN} `.repeat(150);
    expect(await one(`${long} ${FORUM}`)).not.to.deep.equal(await one(long));
    expect(cosine(await one(long), await one(LOAN))).to.be.greaterThan(0.8);
    // `embedAll` checks dimension, finiteness and length.
    for (const text of ["", "\u200b", "...", "\ud800", "\u0301".repeat(500), "\u{1f600}".repeat(500)])
      await one(text);
    expect(await one("\u200b")).to.deep.equal(await one(""));
  });

  it("is named after the bytes of all its files, and refuses each of them that is not the pinned one", async () => {
    const manifest = join(folder, "manifest.json");
    const model = dirname(MANIFEST_FILE);
    for (const name of FILES) cpSync(join(model, name), join(folder, name));
    cpSync(MANIFEST_FILE, manifest);
    expect((await transformerEmbedder({ manifest })).id).to.equal(embedder.id);
    const refusal = async () =>
      await transformerEmbedder({ manifest }).then(
        () => "opened",
        ({ code }: { code: string }) => code,
      );

    for (const name of FILES) {
      const bytes = readFileSync(join(model, name));
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
      writeFileSync(join(folder, name), bytes);
      expect(await refusal(), name).to.equal("EMBEDDER_UNAVAILABLE");
      rmSync(join(folder, name));
      expect(await refusal(), name).to.equal("EMBEDDER_UNAVAILABLE");
      cpSync(join(model, name), join(folder, name));
    }
    for (const entry of ["transformer", "trunk"]) {
      const { [entry]: _, ...rest } = JSON.parse(readFileSync(MANIFEST_FILE, "utf8"));
      writeFileSync(manifest, JSON.stringify(rest));
      expect(await refusal(), entry).to.equal("EMBEDDER_UNAVAILABLE");
    }
  });

  describe("of a store", () => {
    async function make(by: Embedder): Promise<void> {
      (await openKnowledgeStore({ directory: folder, embedder: by, clock: Date })).close();
    }

    it("is lite where nothing is said, and what is named where there is no store yet", async () => {
      expect((await packagedEmbedder(folder)).id).to.match(/^lite-embedder-/);
      expect((await packagedEmbedder(folder, "lite")).id).to.match(/^lite-embedder-/);
      expect((await packagedEmbedder(folder, "transformer")).id).to.equal(embedder.id);
    });

    it("stays the one it was made with, and another is refused", async () => {
      await make(embedder);
      expect((await packagedEmbedder(folder)).id).to.equal(embedder.id);
      expect((await packagedEmbedder(folder, "transformer")).id).to.equal(embedder.id);
      const refused = await packagedEmbedder(folder, "lite").catch((error: unknown) => error);
      expect(refused).to.include({ code: "EMBEDDER_FIXED" });
      expect(String(refused)).to.contain("was made with transformer, not with lite");

      rmSync(folder, { recursive: true });
      await make(await liteEmbedder());
      expect((await packagedEmbedder(folder)).id).to.match(/^lite-embedder-/);
      expect(await packagedEmbedder(folder, "transformer").catch((error: unknown) => error)).to.include({
        code: "EMBEDDER_FIXED",
      });
    });
  });
});
