import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { expect } from "chai";
import { root, run } from "../sdk/support/package.ts";
import { plainEnvironment } from "../sdk/support/registry.ts";

/** In a folder of modules: writes down how it was called, and fails, so that nothing runs after it. */
const NPM = `#!/usr/bin/env node
import { writeFileSync } from "node:fs";

writeFileSync(process.env.RECORD, JSON.stringify({
  args: process.argv.slice(2),
  install: process.env.ONNXRUNTIME_NODE_INSTALL,
}));
process.exit(7);
`;

describe("the bootstrap of a fresh clone", () => {
  it("has npm install the locked packages, and no package ask a server that is not the registry", async () => {
    const clone = mkdtempSync(join(tmpdir(), "policycage-clone-"));
    for (const file of [
      "package.json",
      "package-lock.json",
      ".nvmrc",
      "scripts/bootstrap.mjs",
      "scripts/lib/node-range.mjs",
    ]) {
      cpSync(join(root, file), join(clone, file));
    }
    const bin = join(clone, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "npm"), NPM);
    chmodSync(join(bin, "npm"), 0o755);
    const { PATH = "", ...others } = plainEnvironment();
    const record = join(clone, "record.json");
    const env = { ...others, PATH: [bin, PATH].join(delimiter), RECORD: record };

    const failure = await run(process.execPath, ["scripts/bootstrap.mjs", "scripts/demo.ts"], { cwd: clone, env }).then(
      () => "none",
      (error: unknown) => String((error as { stderr?: unknown }).stderr),
    );

    expect(JSON.parse(readFileSync(record, "utf8"))).to.deep.equal({
      args: ["ci", "--no-audit", "--no-fund", "--loglevel=error"],
      // onnxruntime's script would fetch GPU libraries from a server of its own.
      install: "skip",
    });
    expect(failure).to.contain('"npm ci" failed with exit code 7');
    rmSync(clone, { recursive: true });
  });
});
