// Has Forge's fuzzer, which keeps what reached new code, try the invariants' handlers: `npm run fuzz`. It needs Foundry's forge
// (POLICYCAGE_FORGE names it); POLICYCAGE_RUNS says how many runs of 100 calls (256 if not said). docs/analysis.md says what came of it.

import { globSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { run } from "../lib/run.ts";
import { writeForgeProject } from "./forge.ts";

/** The corpus of earlier runs stays in it: each goes on where they were. */
const FOLDER = path.resolve("cache/fuzz");
const { POLICYCAGE_FORGE: forge, POLICYCAGE_RUNS: runs = "256" } = process.env;
if (forge === undefined || !/^[1-9]\d*$/.test(runs)) {
  console.error("POLICYCAGE_FORGE names Foundry's forge, POLICYCAGE_RUNS a whole number: docs/analysis.md.");
  process.exit(2);
}

const SETTINGS = `src = "contracts"
test = "test/contracts/invariants"
optimizer = false
fs_permissions = [{ access = "read", path = "${path.resolve(".")}" }]

[profile.default.invariant]
runs = ${runs}
depth = 100
fail_on_revert = true
corpus_dir = "${path.join(FOLDER, "corpus")}"
corpus_gzip = false
show_edge_coverage = true
`;

writeForgeProject(FOLDER, ["contracts", "node_modules", "test"], SETTINGS);
const which = ["--match-test", "^invariant", ...process.argv.slice(2)];
process.exitCode = await run(path.resolve(forge), ["test", "--root", FOLDER, ...which]);
console.log(`${globSync(`${FOLDER}/corpus/**/*.json`).length} sequences of calls that reached something new`);
