// Has Halmos prove the properties of `scripts/analyze/proofs`, for every input: `npm run prove`. It needs a Python with
// `scripts/analyze/requirements.txt` (POLICYCAGE_PYTHON names it) and Foundry's forge (POLICYCAGE_FORGE names it), which compiles with the
// compiler of npm. docs/analysis.md says what is proved, and what is not.

import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { run } from "../lib/run.ts";

const FOLDER = "cache/proofs";

const CONFIGURATION = `[profile.default]
src = "scripts/analyze/proofs"
test = "scripts/analyze/proofs"
out = "out"
libs = []
solc = "${path.resolve("scripts/analyze/solc.mjs")}"
evm_version = "cancun"
optimizer = true
ast = true
allow_paths = ["${path.resolve(".")}"]
remappings = [
  "forge-std/=node_modules/@chainlink/contracts/src/v0.8/vendor/forge-std/src/",
  "@chainlink/=node_modules/@chainlink/",
  "@openzeppelin/=node_modules/@openzeppelin/",
  "solady/=node_modules/solady/",
]
`;

/** What Halmos says of a query that it left out, which it does not count as a failure. */
const LEFT_OUT = /NotConcreteError|not been fully explored|TIMEOUT|ERROR/;

const { POLICYCAGE_PYTHON: python, POLICYCAGE_FORGE: forge } = process.env;
if (python === undefined || forge === undefined) {
  console.error("POLICYCAGE_PYTHON names a Python with Halmos, POLICYCAGE_FORGE Foundry's forge: docs/analysis.md.");
  process.exit(2);
}

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(path.join(FOLDER, "scripts/analyze"), { recursive: true });
for (const name of ["contracts", "node_modules", "scripts/analyze/proofs"]) {
  symlinkSync(path.resolve(name), path.join(FOLDER, name));
}
writeFileSync(path.join(FOLDER, "foundry.toml"), CONFIGURATION);

const halmos = path.join(path.dirname(path.resolve(python)), "halmos");
const flags = ["--function", "check_", "--solver-timeout-assertion", "120000", "--loop", "20000", "--width", "1000000"];
let output = "";
const exitCode = await run(halmos, ["--root", FOLDER, ...flags, "--no-status"], {
  env: { PATH: [path.dirname(path.resolve(forge)), process.env.PATH].join(path.delimiter) },
  onOutput: (text) => {
    output += text;
  },
});
const lines = output
  .split("\n")
  .filter((line) => /\[(PASS|FAIL|ERROR|TIMEOUT)\]|^Symbolic test result|WARNING/.test(line));
console.log(lines.join("\n"));
const isProved = exitCode === 0 && existsSync(FOLDER) && /\[PASS\]/.test(output) && !LEFT_OUT.test(output);
console.log(isProved ? "Everything is proved." : output.slice(-4_000));
process.exitCode = isProved ? 0 : 1;
