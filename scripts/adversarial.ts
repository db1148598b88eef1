/**
 * Sends the generated attacks through the pipeline as it is installed on a bare machine: `npm run test:adversarial [-- --update]`. Exits 1
 * when more poison of a class passes than the committed snapshot allows: a rise of more than one point asks for a justification, which is
 * a commit of the snapshot (`--update`) that says why.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { generateSuite } from "../test/adversarial/generate/generate.ts";
import { compareSnapshots, type Snapshot, snapshotOf } from "./adversarial/snapshot.ts";
import { generatedSets } from "./eval/poison/cases.ts";
import { factPairs, judgeGenerated } from "./eval/poison/generated.ts";
import { benignTable, difficultyTable, pairTable, poisonTable } from "./eval/poison/report.ts";
import { bareSetup } from "./eval/poison/wiring.ts";

const FILE = join(import.meta.dirname, "..", "snapshots", "adversarial.json");

const { values } = parseArgs({ options: { update: { type: "boolean", default: false } } });
const setup = await bareSetup();
const sets = generatedSets(generateSuite());
const snapshot: Snapshot = {};

for (const [setting, chosen] of [
  ["fact unknown", sets],
  ["fact known", factPairs(sets)],
] as const) {
  const results = await judgeGenerated(setup, chosen, { base: [], setting, note: console.log });
  console.log(`\n== ${setting}\n${poisonTable(results)}\n\n${benignTable(results)}`);
  console.log(`\n${difficultyTable(results)}\n\n${pairTable(results)}\n`);
  snapshot[setting] = snapshotOf(results);
}
await setup.close();

if (values.update) {
  writeFileSync(FILE, `${JSON.stringify(snapshot, undefined, 2)}\n`);
} else {
  const risen = compareSnapshots(JSON.parse(readFileSync(FILE, "utf8")) as Snapshot, snapshot);
  for (const sentence of risen) console.error(sentence);
  process.exitCode = risen.length === 0 ? 0 : 1;
}
