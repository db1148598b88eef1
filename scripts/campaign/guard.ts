// The checks of a Safe's guard. Its laws are the named attacks on a Safe: each of these mutants must fail one of them at least.

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { inCopy } from "../lib/copy.ts";
import { run } from "../lib/run.ts";
import { compileMutant } from "./compile.ts";
import type { Find } from "./hunt.ts";
import { GUARD, type Mutation } from "./mutations.ts";

const ARTIFACT = "artifacts/contracts/adapters/SafePolicyGuard.sol/SafePolicyGuard.json";
const TESTS = ["Safe", "SafeOwners"].map((name) => `test/contracts/adapters/${name}.t.sol`);

/** Puts each mutant in the guard's place, and runs the attacks: how many passed before, and the first that failed; undefined where none did. */
export function attack(mutations: readonly Mutation[]): Promise<(Find | undefined)[]> {
  return inCopy(async (folder) => {
    const guard = JSON.parse(readFileSync(ARTIFACT, "utf8")) as object;
    const finds: (Find | undefined)[] = [];
    for (const mutation of mutations) {
      writeFileSync(path.join(folder, ARTIFACT), JSON.stringify({ ...guard, ...compileMutant(mutation, GUARD) }));
      finds.push(findOf(await attacks(folder)));
    }

    return finds;
  });
}

async function attacks(folder: string): Promise<string> {
  let output = "";
  await run("hardhat", ["test", "solidity", "--no-compile", ...TESTS], {
    cwd: folder,
    onOutput: (text) => {
      output += text;
    },
  });

  return output;
}

/** @throws {Error} where nothing ran: that would prove nothing. */
function findOf(output: string): Find | undefined {
  const passed = /(\d+) passing/.exec(output)?.[1];
  const [, failed] = /\n\s+1\) \w+#(\w+)\(/.exec(output) ?? [];
  if (failed === undefined && passed === undefined) throw new Error(`The attacks said nothing:\n${output}`);

  return failed === undefined ? undefined : { calls: Number(passed ?? 0), law: failed };
}
