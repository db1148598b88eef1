// Builds what is published: the contracts with the production profile, the SDK as JavaScript with its types in dist/.

import { existsSync } from "node:fs";
import process from "node:process";
import { buildProduction } from "./lib/production.ts";
import { run } from "./lib/run.ts";

const contracts = await buildProduction();
const sdk = existsSync("sdk") ? await run("tsc", ["--project", "tsconfig.build.json"]) : 0;

process.exitCode = contracts === 0 && sdk === 0 ? 0 : 1;
