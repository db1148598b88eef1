// Every gate of the project, from the quickest to the slowest; each counts as a test beside the tests it runs.
// The last line printed is "N passed, N failed".

import { globSync, readFileSync } from "node:fs";
import process from "node:process";
import { stripVTControlCharacters } from "node:util";
import { buildProduction, PRODUCTION } from "./lib/production.ts";
import { run } from "./lib/run.ts";

type Outcome = { exitCode: number; passed?: number; failed?: number };

type Gate = { name: string; needs?: string; run: () => Promise<Outcome> };

async function command(name: string, ...args: string[]): Promise<Outcome> {
  return { exitCode: await run(name, args) };
}

/** Runs tests and reads their counts off the summary: "12 passing (3s)", "1 failing". */
async function tests(runner: "solidity" | "mocha", env: Record<string, string>): Promise<Outcome> {
  let output = "";
  const exitCode = await run("hardhat", ["test", runner], {
    env: process.stdout.isTTY ? { ...env, FORCE_COLOR: "1" } : env,
    onOutput: (text) => {
      output += text;
    },
  });
  const plain = stripVTControlCharacters(output);
  const count = (word: string) =>
    [...plain.matchAll(new RegExp(`^\\s*(\\d+) ${word}\\b`, "gm"))].reduce((sum, match) => sum + Number(match[1]), 0);

  return { exitCode, passed: count("passing"), failed: count("failing") };
}

function readGenerated(): Map<string, string> {
  const files = globSync("{contracts,deploy,sdk,test}/**/generated/**/*.*");

  return new Map(files.map((file) => [file, readFileSync(file, "utf8")]));
}

/** Generates anew, and fails when that changed a file: what is committed was not what its sources say. */
async function generate(): Promise<Outcome> {
  const before = readGenerated();
  const exitCode = await run("node", ["scripts/generate.ts"]);
  const after = readGenerated();
  const stale = [...after.keys(), ...before.keys()].filter((file) => before.get(file) !== after.get(file));
  for (const file of new Set(stale)) console.error(`${file} was stale: it is written anew, commit it`);

  return { exitCode: stale.length === 0 ? exitCode : 1 };
}

const COMPILED = "contracts and their tests compile without warnings";
const BUILT = "production contracts compile without warnings";

const gates: Gate[] = [
  { name: COMPILED, run: () => command("hardhat", "build") },
  // Contract types come from the artifacts.
  { name: "types", needs: COMPILED, run: () => command("tsc") },
  { name: "lint and format", run: () => command("node", "scripts/lint.ts") },
  { name: "no unused exports, files or dependencies", run: () => command("knip") },
  { name: "Solidity tests", needs: COMPILED, run: () => tests("solidity", {}) },
  { name: BUILT, run: async () => ({ exitCode: await buildProduction() }) },
  // After the build: what the SDK knows of the contracts comes from their production artifacts.
  { name: "generated files are current", needs: BUILT, run: generate },
  { name: "bytecode sizes", needs: BUILT, run: () => command("node", "scripts/sizes.ts") },
  { name: "gas", needs: BUILT, run: () => command("node", "scripts/gas.ts", "--check") },
  { name: "TypeScript tests", needs: BUILT, run: () => tests("mocha", PRODUCTION) },
];

const failedGates = new Set<string>();
let passed = 0;
let failed = 0;

for (const gate of gates) {
  console.log(`\n== ${gate.name}`);
  if (gate.needs !== undefined && failedGates.has(gate.needs)) {
    console.log(`not run: "${gate.needs}" failed`);
    failedGates.add(gate.name);
    failed += 1;
    continue;
  }

  const outcome = await gate.run();
  const isGood = outcome.exitCode === 0 && (outcome.failed ?? 0) === 0;
  passed += (outcome.passed ?? 0) + (isGood ? 1 : 0);
  failed += (outcome.failed ?? 0) + (isGood ? 0 : 1);
  if (!isGood) failedGates.add(gate.name);
  console.log(`${isGood ? "passed" : "FAILED"}: ${gate.name}`);
}

if (failedGates.size > 0) console.log(`\nFailed: ${[...failedGates].join(", ")}`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
