import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";

describe("documents", () => {
  it("number every decision once, with an anchor of that number", () => {
    const text = readFileSync("docs/decisions.md", "utf8");
    const begun = text.split("\n").filter((line) => /^(<a |\*\*)/.test(line));
    const numbers = begun.map((line) => {
      const [, anchor, number] = /^<a id="(\d+)"><\/a>\*\*(\d+)\. \S/.exec(line) ?? [];
      expect(number, line).to.equal(anchor).and.not.to.equal(undefined);

      return Number(number);
    });

    expect(numbers.length).to.be.at.least(95);
    expect(numbers.toSorted((a, b) => a - b)).to.deep.equal(numbers.map((_, index) => index + 1));
  });

  it("say cannot, as people do", () => {
    const files = globSync("{*.md,docs/*.md,{sdk,deploy,scripts}/**/*.{ts,mjs}}", {
      // Words of others: what texts are read and generated with.
      exclude: ["**/generated/**", "sdk/ingestion/structured/**", "scripts/{train,eval}/**"],
    });
    const found = files.filter((file) => /\bcan not\b(?! only)/i.test(readFileSync(file, "utf8")));

    expect(found).to.deep.equal([]);
  });
});
