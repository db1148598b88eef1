import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "chai";

const root = new URL("../../../sdk/policy/", import.meta.url);

/** What a file of sdk/policy may import when it runs: itself, the core, the ABIs, and packages without I/O. */
const ALLOWED = /^(sdk\/(policy|core|abi)\/|ox\/|zod$)/;

/** A relative import as a path from the project's root; a package as it is. */
function resolved(file: string, specifier: string): string {
  return specifier.startsWith(".") ? join("sdk/policy", dirname(file), specifier).replaceAll("\\", "/") : specifier;
}

/** What the module graph of a file is made of; types vanish when it runs. */
function importsOf(file: string): string[] {
  const text = readFileSync(new URL(file, root), "utf8");
  const statements = [...text.matchAll(/^(?:import|export)\s(?!type\s)[^;]*?from "([^"]+)";/gm)];

  return statements.map(([, specifier]) => specifier ?? "");
}

describe("sdk/policy", () => {
  it("is pure: no chain, no disk, no clock, no random, and nothing else of the SDK but its core and the ABIs", () => {
    const files = globSync("**/*.ts", { cwd: root });

    expect(files).to.include(join("author", "builder.ts"));
    for (const file of files) {
      for (const specifier of importsOf(file)) {
        expect(resolved(file, specifier), file).to.match(ALLOWED);
      }
      const text = readFileSync(new URL(file, root), "utf8");
      expect(text, file).not.to.match(/\bDate\b|Math\.random|process\.|fetch\(|setTimeout|import\(/);
    }
  });
});
