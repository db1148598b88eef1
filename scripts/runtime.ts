// Shows an agent with a scripted model at its cage, in three kinds of loop: `npm run runtime`. What stands in `runtime/tools.ts` and
// `runtime/loops/` is to be copied into an agent of one's own.

import { existsSync } from "node:fs";
import process from "node:process";
import { PRODUCTION } from "./lib/production.ts";
import { run } from "./lib/run.ts";
import { tellStory } from "./runtime/story.ts";

if (!existsSync("artifacts-production")) console.log("Compiling the contracts, which takes up to a minute, once.");
const exitCode = await run("hardhat", ["build", "--no-tests", "--quiet"], { env: PRODUCTION });
if (exitCode !== 0) process.exit(exitCode);

await tellStory({ print: (line) => console.log(line) });
