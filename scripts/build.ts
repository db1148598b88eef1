// Builds what is published: the contracts with the production profile, the SDK as JavaScript with its types in dist/.

import { rmSync } from "node:fs";
import process from "node:process";
import { buildProduction } from "./lib/production.ts";
import { run } from "./lib/run.ts";

const contracts = await buildProduction();
// What no source makes any more must not be published.
rmSync("dist", { recursive: true, force: true });
const sdk = await run("tsc", ["--project", "tsconfig.build.json"]);

process.exitCode = contracts === 0 && sdk === 0 ? 0 : 1;
