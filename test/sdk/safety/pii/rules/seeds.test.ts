import { entropyToMnemonic, validateMnemonic } from "@scure/bip39";
import { wordlist as english } from "@scure/bip39/wordlists/english.js";
import { expect } from "chai";
import fc from "fast-check";
import { WORDLISTS } from "../../../../../sdk/safety/pii/rules/wordlists/wordlists.ts";
import { createPiiScanner } from "../../../../../sdk/safety/pii/scan.ts";

const scanner = createPiiScanner();

/** The entropy of BIP-39 phrases of 12, 15, 18, 21 and 24 words. */
const entropy = fc
  .constantFrom(16, 20, 24, 28, 32)
  .chain((length) => fc.uint8Array({ minLength: length, maxLength: length }));

const list = fc.constantFrom(...WORDLISTS).map((words) => [...words]);

function rulesOf(text: string): string[] {
  return scanner.scan(text).map(({ rule }) => rule);
}

/** The phrase itself, as the ranges found say. */
function foundIn(text: string): string[] {
  return scanner
    .scan(text)
    .filter(({ rule }) => rule === "SEED_PHRASE")
    .map(({ start, end }) => text.slice(start, end));
}

/** A phrase of the library with its last word changed until the library rejects it. */
function spoiled(phrase: string): string {
  const words = phrase.split(" ");
  const wrong = english.find((word) => !validateMnemonic([...words.slice(0, -1), word].join(" "), english));

  return [...words.slice(0, -1), wrong].join(" ");
}

const LAYOUTS: Record<string, (words: readonly string[]) => string> = {
  spaces: (words) => words.join(" "),
  "wide spaces": (words) => words.join("   "),
  lines: (words) => words.join("\n"),
  "windows lines": (words) => words.join("\r\n"),
  commas: (words) => words.join(", "),
  "commas without space": (words) => words.join(","),
  numbering: (words) => words.map((word, index) => `${index + 1}. ${word}`).join("\n"),
  "numbering with colons": (words) => words.map((word, index) => `${index + 1}: ${word}`).join(" "),
  "rows of four": (words) => words.map((word, index) => word + (index % 4 === 3 ? "\n" : " ")).join(""),
  JSON: (words) => JSON.stringify(words),
  "a JSON string of lines": (words) => JSON.stringify({ backup: words.join("\n") }),
  "a table": (words) => `| ${words.map((word, index) => `${index + 1} | ${word}`).join(" |\n| ")} |`,
  bullets: (words) => words.map((word) => `- ${word}`).join("\n"),
  capitals: (words) => words.join(" ").toUpperCase(),
};

describe("Seed phrases", () => {
  it("are found in every list and length, wherever they stand", () => {
    fc.assert(
      fc.property(entropy, list, fc.constantFrom("", "Restore: ", "so. \n\n"), (bytes, words, before) => {
        const phrase = entropyToMnemonic(bytes, words);
        expect(rulesOf(`${before}${phrase} — ok?`)).to.deep.equal(["SEED_PHRASE"]);
      }),
      { numRuns: 1000 },
    );
  });

  for (const [name, layout] of Object.entries(LAYOUTS)) {
    it(`are found with ${name} between their words`, () => {
      fc.assert(
        fc.property(entropy, (bytes) => {
          const text = `note: ${layout(entropyToMnemonic(bytes, english).split(" "))} — ok?`;
          expect(rulesOf(text)).to.deep.equal(["SEED_PHRASE"]);
        }),
        { numRuns: 60 },
      );
    });
  }

  it("are found in NFC as well as in NFKD", () => {
    fc.assert(
      fc.property(entropy, list, (bytes, words) => {
        const phrase = entropyToMnemonic(bytes, words);
        expect(rulesOf(phrase.normalize("NFC"))).to.deep.equal(["SEED_PHRASE"]);
        expect(rulesOf(phrase.normalize("NFD"))).to.deep.equal(["SEED_PHRASE"]);
      }),
      { numRuns: 300 },
    );
  });

  it("are cut out of a sentence whose other words are in the list too", () => {
    const phrase = "legal winner thank year wave sausage worth useful legal winner thank yellow";

    // Two words more, and a checksum by chance in the twelve that begin the text.
    expect(foundIn(`use this ${phrase}`)).to.include(phrase);
    expect(foundIn(`My seed phrase is ${phrase} please keep it`)).to.deep.equal([phrase]);
    expect(foundIn(`seed:\n${phrase}\nkeep it safe`)).to.deep.equal([phrase]);
  });

  it("are found one after the other", () => {
    const phrase = "legal winner thank year wave sausage worth useful legal winner thank yellow";
    const other = "letter advice cage absurd amount doctor acoustic avoid letter advice cage above";

    expect(foundIn(`${phrase}; ${other}`)).to.deep.equal([phrase, other]);
    expect(foundIn(Array(5).fill(phrase).join(" "))).to.have.length(5);
  });

  it("are found in words of one list that go on and on", () => {
    const phrase = "legal winner thank year wave sausage worth useful legal winner thank yellow";
    const text = `${"zoo ".repeat(995)}${phrase} ${"zoo ".repeat(995)}`;

    expect(foundIn(text).join(" ")).to.contain("winner thank year wave sausage worth useful legal");
  });

  it("are hidden from the model but not blocked when the checksum is wrong", () => {
    fc.assert(
      fc.property(entropy, fc.constantFrom("", "Recovery phrase:\n", "My seed phrase is "), (bytes, before) => {
        const phrase = spoiled(entropyToMnemonic(bytes, english));
        expect(rulesOf(`${before}${phrase}`)).to.deep.equal(["SEED_PHRASE_UNVERIFIED"]);
      }),
      { numRuns: 300 },
    );
  });

  it("agree with the library on which words have a checksum", () => {
    const words = fc
      .constantFrom(12, 15, 18, 21, 24)
      .chain((length) => fc.array(fc.constantFrom(...english), { minLength: length, maxLength: length }));
    fc.assert(
      fc.property(words, (chosen) => {
        const text = chosen.join(" ");
        expect(foundIn(text)).to.deep.equal(validateMnemonic(text, english) ? [text] : []);
      }),
      { numRuns: 1000 },
    );
  });

  it("are no word lists, no prose, and never shorter than twelve words", () => {
    expect(rulesOf(english.join("\n"))).to.deep.equal([]);
    expect(rulesOf(english.slice(100, 124).join(" "))).to.deep.equal([]);
    expect(rulesOf("legal winner thank year wave sausage worth useful legal winner thank")).to.deep.equal([]);
    expect(
      rulesOf("The market will open again this week and we expect the price to rise above the level of last year."),
    ).to.deep.equal([]);
  });
});
