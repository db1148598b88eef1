// What takes too long for every day. `npm run test:deep` runs all of it, `npm run test:deep -- fuzz` the gates with "fuzz" in their name;
// what each said is recorded with the hash of the sources it covers, and `npm test` reads that.

import process from "node:process";
import { conclude, runGates } from "./gates/gate.ts";
import { deepGates } from "./gates/list.ts";
import { hashOf, record } from "./gates/recording.ts";
import { buildProduction } from "./lib/production.ts";
import { run } from "./lib/run.ts";

const words = process.argv.slice(2);
const chosen = deepGates.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
if (chosen.length === 0) throw new Error(`No deep gate has any of these in its name: ${words.join(", ")}`);
// Gates of contracts share their artifacts, and run side by side.
const built = (await run("hardhat", ["build"])) === 0 && (await buildProduction()) === 0;
if (!built) throw new Error("The contracts do not compile");
// As they are before: a test that changes what it covers has not covered it.
const sources = new Map(chosen.map((gate) => [gate.name, hashOf(gate)]));
const results = await runGates(chosen);
record(deepGates, results, sources);
conclude(results);
