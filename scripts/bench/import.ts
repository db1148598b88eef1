import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const RUNS = 11;
const BUDGET_MS = 150;

const entry = fileURLToPath(new URL("../../dist/sdk/index.js", import.meta.url));

const probe = (module: string) => `
const start = performance.now();
await import(${JSON.stringify(module)});
console.log(performance.now() - start);
`;

/** Median milliseconds that importing `module` takes in a new process. */
async function medianOf(module: string): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", probe(module)], {
      cwd: fileURLToPath(new URL("../../", import.meta.url)),
    });
    times.push(Number(stdout));
  }

  return times.sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? Number.NaN;
}

/** What `import "policycage"` costs a golem at its start, beside viem, which it loads anyway. */
export async function run(): Promise<void> {
  if (!existsSync(entry)) throw new Error("dist/ is missing: run `npm run build` first.");
  const [own, viem] = [await medianOf(entry), await medianOf("viem")];
  console.log(`import "policycage"  ${own.toFixed(0)} ms (median of ${RUNS}; budget ${BUDGET_MS} ms)`);
  console.log(`import "viem"        ${viem.toFixed(0)} ms`);
}
