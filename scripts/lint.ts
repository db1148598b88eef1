// Checks style: Biome for TypeScript and JSON, solhint for Solidity. Mocks and tests have rules of their own.

import { globSync } from "node:fs";
import process from "node:process";
import { run } from "./run.ts";

const SOLHINT = ["--noPoster", "--disc", "--max-warnings", "0"];

const contracts = globSync("contracts/**/*.sol").filter((file) => !file.startsWith("contracts/mocks/"));
const doubles = [...globSync("contracts/mocks/**/*.sol"), ...globSync("test/**/*.sol")];

const checks = [
  () => run("biome", ["check", "--error-on-warnings", "."]),
  () => (contracts.length === 0 ? 0 : run("solhint", [...SOLHINT, ...contracts])),
  () => (doubles.length === 0 ? 0 : run("solhint", [...SOLHINT, "-c", ".solhint-test.json", ...doubles])),
];

let failed = 0;
for (const check of checks) failed += (await check()) === 0 ? 0 : 1;
process.exitCode = failed === 0 ? 0 : 1;
