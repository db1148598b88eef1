// The checks of the modules of accounts that were there before: a Safe's guard, an ERC-7579 account's hook. Their laws are the named attacks
// on such an account: each of these mutants must fail one of them at least.

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { inCopy } from "../lib/copy.ts";
import { run } from "../lib/run.ts";
import { compileMutant } from "./compile.ts";
import type { Find } from "./hunt.ts";
import type { Mutation } from "./mutations.ts";

/** A contract, and the files of attacks on it in `test/contracts/adapters`. */
type Attacked = { contract: string; attacks: readonly string[] };

/** Puts each mutant in the contract's place, and runs the attacks: how many passed before, and the first that failed; undefined where none did. */
export function attack(mutations: readonly Mutation[], { contract, attacks }: Attacked): Promise<(Find | undefined)[]> {
  const name = path.basename(contract, ".sol");
  const artifact = `artifacts/${contract}/${name}.json`;
  const tests = attacks.map((file) => `test/contracts/adapters/${file}.t.sol`);

  return inCopy(async (folder) => {
    const original = JSON.parse(readFileSync(artifact, "utf8")) as object;
    const finds: (Find | undefined)[] = [];
    for (const mutation of mutations) {
      writeFileSync(path.join(folder, artifact), JSON.stringify({ ...original, ...compileMutant(mutation, contract) }));
      finds.push(findOf(await outcomeOf(tests, folder)));
    }

    return finds;
  });
}

async function outcomeOf(tests: readonly string[], folder: string): Promise<string> {
  let output = "";
  await run("hardhat", ["test", "solidity", "--no-compile", ...tests], {
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
