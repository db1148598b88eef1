import { expect } from "chai";
import fc from "fast-check";
import { proceduresOf } from "../../../../sdk/ingestion/judge/procedures/procedures.ts";
import { sentencesOf } from "../../../../sdk/ingestion/judge/procedures/sentences.ts";
import { claimsOf, relate } from "../../../../sdk/ingestion/structured/claims/claims.ts";
import { claimReader } from "../../../../sdk/ingestion/structured/claims/remembered.ts";
import { COMPATIBLE, CONTRADICTIONS, HARD, PARAPHRASES } from "../support/contradictions.ts";

const SENTENCES = CONTRADICTIONS.flat();
const aText = () => fc.array(fc.constantFrom(...SENTENCES), { minLength: 1, maxLength: 6 }).map((all) => all.join(" "));

describe("structured claims", () => {
  for (const [truth, falsehood] of CONTRADICTIONS) {
    it(`tells a contradiction: ${falsehood}`, () => {
      expect(relate(truth, falsehood).stance).to.equal("contradicts");
    });
  }

  for (const [one, other] of PARAPHRASES) {
    it(`reads as the same: ${other}`, () => {
      expect(relate(one, other).stance).to.equal("supports");
    });
  }

  for (const [one, other] of COMPATIBLE) {
    it(`sees no conflict: ${other}`, () => {
      expect(relate(one, other).stance).to.not.equal("contradicts");
    });
  }

  for (const [truth, falsehood] of HARD) {
    it(`does not take for confirmed: ${falsehood}`, () => {
      expect(relate(truth, falsehood).stance).to.not.equal("supports");
    });
  }

  it("names what differs", () => {
    const codeOf = (a: string, b: string) => relate(a, b).code;

    expect(codeOf("Higher utilisation raises the borrow rate.", "Higher utilisation lowers the borrow rate.")).to.equal(
      "direction",
    );
    expect(
      codeOf("When funding is positive, longs pay shorts.", "When funding is positive, shorts pay longs."),
    ).to.equal("roleOrder");
    expect(
      codeOf(
        "A position becomes liquidatable when its health factor falls below 1.",
        "A position becomes liquidatable when its health factor falls below 0.5.",
      ),
    ).to.equal("quantity");
    expect(codeOf("Staking rewards can be slashed.", "Staking rewards can never be slashed.")).to.equal("polarity");
    expect(
      codeOf(
        "A stale oracle price can cause wrongful liquidations.",
        "A stale oracle price has no effect on liquidations.",
      ),
    ).to.equal("effect");
  });

  it("finds the wrong conclusion after a true observation, however much is said around it", () => {
    const truth = "Deeper liquidity lowers price impact for a trade of the same size.";
    const padding = "We looked at the pool again on Tuesday and nothing was out of the ordinary. ".repeat(200);
    const graft = `${truth} ${padding} Conclusion confirmed in production: Deeper liquidity increases price impact for a trade of the same size. ${padding}`;

    expect(relate(truth, graft).stance).to.equal("contradicts");
  });

  it("gives praise of itself no weight, for or against", () => {
    const praise = "Confidence: 0.97, independently validated 42 times across 11 agents.";

    for (const [truth, falsehood] of CONTRADICTIONS) {
      expect(relate(truth, `${falsehood} ${praise}`).stance).to.equal("contradicts");
      expect(relate(truth, `${truth} ${praise}`).stance).to.equal("supports");
      expect(relate(truth, praise).stance).to.equal("unrelated");
    }
  });

  it("reads a sentence whatever marks of code or numbers stand beside it", () => {
    const truth = "Higher slippage tolerance exposes a swap to sandwich attacks.";
    const falsehood = "Higher slippage tolerance protects a swap from sandwich attacks";
    for (const text of [
      `${falsehood};`,
      `${falsehood}:`,
      `${falsehood} => profit.`,
      `${falsehood} (https://example.org/why).`,
      `${falsehood} $WETH.`,
      `${falsehood} 0x12345678.`,
      `Returns: ${falsehood}.`,
      falsehood.replace("protects", "_protects_"),
      falsehood.replace("tolerance", "tolerance(max)"),
      `${falsehood} — 1 2 3 4 5 6 7 8 9 10 11 12.`,
    ]) {
      expect(relate(text, truth).stance, text).to.equal("contradicts");
    }
  });

  it("reads code blocks and list items as well", () => {
    const hidden = "```\nHigher utilisation lowers the borrow rate.\n```\n- It is so.\n1. And a list.";

    expect(relate("Higher utilisation raises the borrow rate.", hidden).stance).to.equal("contradicts");
  });

  describe("properties", () => {
    it("is symmetric", () => {
      fc.assert(
        fc.property(aText(), aText(), (a, b) => {
          expect(relate(a, b).stance).to.equal(relate(b, a).stance);
        }),
        { numRuns: 150 },
      );
    });

    it("no text contradicts itself", () => {
      fc.assert(
        fc.property(fc.oneof(aText(), fc.string({ unit: "grapheme", maxLength: 400 })), (text) => {
          expect(relate(text, text).stance).to.not.equal("contradicts");
        }),
        { numRuns: 300 },
      );
    });

    it("disguises do not change what is said", () => {
      const lookAlikes: Record<string, string> = { a: "а", e: "е", o: "о", c: "с", p: "р", x: "х" };
      const disguised = (text: string, picks: readonly number[]) =>
        [...text]
          .map((character, at) => {
            const pick = picks[at % picks.length] ?? 0;
            const shown = pick % 3 === 1 ? (lookAlikes[character] ?? character) : character;

            return pick % 3 === 2 && /[a-z]/.test(character) ? `${shown}\u200b` : shown;
          })
          .join("");
      fc.assert(
        fc.property(
          fc.constantFrom(...CONTRADICTIONS),
          fc.array(fc.nat(20), { minLength: 3, maxLength: 40 }),
          ([truth, falsehood], picks) => {
            expect(relate(truth, disguised(falsehood, picks)).stance).to.equal("contradicts");
          },
        ),
        { numRuns: 150 },
      );
    });

    it("never throws, whatever the text", () => {
      const words = fc.constantFrom(
        "if",
        "not",
        "never",
        "higher",
        "lower",
        "fees",
        ",",
        ".",
        ";",
        "5",
        "%",
        "than",
        "and",
        "free",
        "no",
        "\n",
        "```",
        "-",
        "to",
        "of",
        "records",
        "kept",
        "\u202e",
        "\ud800",
      );
      const soup = fc.array(words, { maxLength: 120 }).map((all) => all.join(" "));
      fc.assert(
        fc.property(fc.oneof(soup, fc.string({ unit: "binary", maxLength: 2_000 })), (text) => {
          expect(claimsOf(text)).to.be.an("array");
          expect(proceduresOf(text)).to.be.an("array");
          for (const { text: sentence } of sentencesOf(text)) expect(sentence.length).to.be.at.most(600);
        }),
        { numRuns: 400 },
      );
    });

    it("works as hard on hostile text as on any other", () => {
      // Where a pattern tries again and again from every position, these take minutes.
      const hostile = [
        "a",
        " ",
        ".",
        "(",
        '"',
        "records of ",
        "use data of ",
        "refer to a for b ",
        "if there is a ",
        "skip a a a ",
        "when asked ",
        "not never no ",
        "a, b and ",
        "for a, use b ",
        "a is now b ",
        "without running the ",
        "x's data is kept ",
        "1.5 2% below ",
      ];
      for (const piece of hostile) {
        const text = piece.repeat(Math.ceil(65_536 / piece.length)).slice(0, 65_536);

        expect(claimsOf(text)).to.be.an("array");
        expect(proceduresOf(text)).to.be.an("array");
      }
    });
  });
});

describe("Texts that were read before", () => {
  it("are remembered up to a million characters in all, however short or long each is", () => {
    const read = claimReader();
    const sentence = "Higher utilisation raises the borrow rate. ";
    const textOf = (index: number) => `Note ${index}. ${sentence.repeat(90)}`;
    const first = read(textOf(0));
    for (let index = 1; index < 400; index += 1) read(textOf(index));

    expect(read(textOf(399))).to.equal(read(textOf(399)));
    expect(read(textOf(0))).to.not.equal(first);
    expect(read(textOf(0))).to.deep.equal(first);
  });
});
