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
    const files = globSync("{*.md,docs/*.md,contracts/**/*.sol,{sdk,deploy,scripts}/**/*.{ts,mjs}}", {
      // Words of others: what texts are read and generated with.
      exclude: ["**/generated/**", "sdk/ingestion/structured/**", "scripts/{train,eval}/**"],
    });
    const found = files.filter((file) => /\bcan not\b(?! only)/i.test(readFileSync(file, "utf8")));

    expect(found).to.deep.equal([]);
  });

  it("quote terminal sessions in the README as they were recorded", () => {
    const recorded = readFileSync("docs/sessions.md", "utf8");
    const blocks = [...readFileSync("README.md", "utf8").matchAll(/```console\n(.*?)```/gs)].map(
      ([, text = ""]) => text,
    );
    const quotes = blocks.flatMap((text) => text.split(/^(?=\$ policycage )/m)).filter((text) => text.includes("\n"));
    // Of these the README shows commands only.
    const quoted = quotes.filter((text) => /^\$ policycage (?!ingest)/.test(text));

    expect(quoted.length).to.be.at.least(5);
    for (const quote of quoted) expect(recorded).to.contain(quote.trimEnd());
  });

  it("show the gas of a caged swap as it was measured", () => {
    const { figures } = JSON.parse(readFileSync("snapshots/gas/figures.json", "utf8")) as {
      figures: Record<string, number>;
    };
    const columns = ["first call", "3rd call", "another hour"];
    const row = (name: string) => columns.map((column) => figures[`swap, ${name}, ${column}`] ?? Number.NaN);
    const grouped = (value: number) => String(value).replace(/\B(?=(\d{3})+$)/g, " ");
    const bare = row("bare router");
    const caged = row("caged");
    const readme = readFileSync("README.md", "utf8");

    expect(readme).to.contain(`| bare router call | ${bare.map(grouped).join(" | ")} |`);
    expect(readme).to.contain(`| through the cage | ${caged.map(grouped).join(" | ")} |`);
    const added = caged.map((gas, index) => `**${grouped(gas - (bare[index] ?? Number.NaN))}**`);
    expect(readme).to.contain(`| **the cage adds** | ${added.join(" | ")} |`);
  });
});
