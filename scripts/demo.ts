// Shows a golem that trades, and how whoever steals it fails to rob the account: `npm run demo`.
// The exit code is 0 when every attack was stopped by the rule that must stop it and moved no cent more than the policy allows.
// `--record` puts what it prints into the documents that quote it.

import { existsSync } from "node:fs";
import process from "node:process";
import { parseArgs, stripVTControlCharacters } from "node:util";
import { record } from "./demo/record.ts";
import { runDemo } from "./demo/run.ts";
import { PRODUCTION } from "./lib/production.ts";
import { run } from "./lib/run.ts";

if (!existsSync("artifacts-production")) console.log("Compiling the contracts, which takes up to a minute, once.");
const exitCode = await run("hardhat", ["build", "--no-tests", "--quiet"], { env: PRODUCTION });
if (exitCode !== 0) process.exit(exitCode);

const { values } = parseArgs({ options: { record: { type: "boolean", default: false } } });
const lines: string[] = [];
const problems = await runDemo({
  print: (line) => {
    console.log(line);
    lines.push(stripVTControlCharacters(line));
  },
});
process.exitCode = problems.length === 0 ? 0 : 1;
if (values.record && problems.length === 0) record(lines.join("\n"));
