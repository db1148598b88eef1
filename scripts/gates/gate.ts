// What a gate is, and how many of them are run side by side.

import process from "node:process";
import { stripVTControlCharacters } from "node:util";
import { run } from "../lib/run.ts";

export type Outcome = { exitCode: number; passed?: number; failed?: number };

/** Takes what a gate prints. */
export type Print = (text: string) => void;

export type Gate = {
  name: string;
  /** Gates of the same list that have to pass first. */
  needs?: string | readonly string[];
  run: (print: Print) => Promise<Outcome>;
};

export type Result = {
  name: string;
  isGood: boolean;
  passed: number;
  failed: number;
  seconds: number;
  /** The last lines of what it printed. */
  ending: string;
};

/** As many as a small machine has cores: compilers and test runners start threads of their own. */
const SIDE_BY_SIDE = 2;

/** How much of what a gate printed is shown when it passed, and once more at the very end when it failed. */
const LINES_SHOWN = 15;
const LINES_REPEATED = 80;

/** A gate that is one command. */
export function command(name: string, ...args: string[]): Gate["run"] {
  return async (print) => ({ exitCode: await run(name, args, { onOutput: print }) });
}

/** A gate that runs tests and counts them, off the summary: "12 passing (3s)", "1 failing". */
export function tests(
  runner: "solidity" | "mocha",
  { files = [], env = {} }: { files?: readonly string[]; env?: Record<string, string> } = {},
): Gate["run"] {
  return async (print) => {
    let output = "";
    // What is to be compiled is compiled before: two runners side by side would write the compiler's cache at once.
    const exitCode = await run("hardhat", ["test", runner, "--no-compile", ...files], {
      env: process.stdout.isTTY ? { ...env, FORCE_COLOR: "1" } : env,
      onOutput: (text) => {
        output += text;
        print(text);
      },
    });
    const plain = stripVTControlCharacters(output);
    const count = (word: string) =>
      [...plain.matchAll(new RegExp(`^\\s*(\\d+) ${word}\\b`, "gm"))].reduce((sum, match) => sum + Number(match[1]), 0);
    const passed = count("passing");

    // A runner that finds no test is content.
    return { exitCode: passed === 0 ? 1 : exitCode, passed, failed: count("failing") };
  };
}

/** One after the other, whatever became of those before. */
export function inTurn(...runs: readonly Gate["run"][]): Gate["run"] {
  return async (print) => {
    const sum = { exitCode: 0, passed: 0, failed: 0 };
    for (const each of runs) {
      const { exitCode, passed = 0, failed = 0 } = await each(print);
      sum.exitCode ||= exitCode;
      sum.passed += passed;
      sum.failed += failed;
    }

    return sum;
  };
}

/**
 * Runs gates in their order, two at a time, each as soon as what it needs has passed. What a gate printed is shown in one piece when it
 * is done: all of it when it failed, its last lines when it passed. Each counts as a test beside the tests it runs.
 */
export async function runGates(gates: readonly Gate[]): Promise<Result[]> {
  const results = new Map<string, Result>();
  const waiting = [...gates];
  const running = new Set<Promise<void>>();
  const isReady = (gate: Gate) => needsOf(gate).every((name) => results.has(name));

  const start = async (gate: Gate): Promise<void> => {
    const startedAt = performance.now();
    const printed: string[] = [];
    const blocking = needsOf(gate).find((name) => results.get(name)?.isGood !== true);
    const isBlocked = blocking !== undefined;
    const outcome = isBlocked ? { exitCode: 1 } : await outcomeOf(gate, (text) => printed.push(text));
    if (isBlocked) printed.push(`not run: "${blocking}" failed\n`);
    const { exitCode, passed = 0, failed = 0 } = outcome;
    const isGood = exitCode === 0 && failed === 0;
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    const output = printed.join("");
    const ending = lastLines(output, isGood ? LINES_SHOWN : LINES_REPEATED);
    results.set(gate.name, {
      name: gate.name,
      isGood,
      passed: passed + (isGood ? 1 : 0),
      failed: failed + (isGood ? 0 : 1),
      seconds,
      ending,
    });
    const verdict = `${isGood ? "passed" : "FAILED"}: ${gate.name} (${seconds} s)`;
    process.stdout.write(`\n== ${gate.name}\n${isGood ? ending : output}${verdict}\n`);
  };

  while (waiting.length > 0 || running.size > 0) {
    const next = running.size < SIDE_BY_SIDE ? waiting.findIndex(isReady) : -1;
    const [gate] = next < 0 ? [] : waiting.splice(next, 1);
    if (gate === undefined) {
      if (running.size === 0) throw new Error(`Nothing leads to: ${waiting.map(({ name }) => name).join(", ")}`);
      await Promise.race(running);
    } else {
      const task = start(gate).finally(() => running.delete(task));
      running.add(task);
    }
  }

  return gates.map(({ name }) => results.get(name)).filter((result) => result !== undefined);
}

function lastLines(text: string, count: number): string {
  const lines = text.trimEnd().split("\n");
  const left = lines.length - count;

  return left <= 0 ? text : `(${left} lines left out)\n${lines.slice(left).join("\n")}\n`;
}

function needsOf({ needs = [] }: Gate): readonly string[] {
  return typeof needs === "string" ? [needs] : needs;
}

async function outcomeOf(gate: Gate, print: Print): Promise<Outcome> {
  try {
    return await gate.run(print);
  } catch (error) {
    print(`${error instanceof Error ? error.stack : String(error)}\n`);

    return { exitCode: 1 };
  }
}

/** Says what failed and how it ended and, as the last line, how many passed and failed; sets the exit code. */
export function conclude(results: readonly Result[]): void {
  const bad = results.filter(({ isGood }) => !isGood);
  const sum = (key: "passed" | "failed") => results.reduce((total, result) => total + result[key], 0);
  for (const { name, ending } of bad) console.log(`\n== ${name}, how it ended\n${ending}`);
  if (bad.length > 0) console.log(`\nFailed: ${bad.map(({ name }) => name).join(", ")}`);
  console.log(`\n${sum("passed")} passed, ${sum("failed")} failed`);
  process.exitCode = sum("failed") === 0 ? 0 : 1;
}
