/** Measures speed: `npm run bench -- [injection ...]`; all benchmarks without a name. */
import { readdirSync } from "node:fs";
import { join } from "node:path";

const all = readdirSync(join(import.meta.dirname, "bench"))
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.replace(/\.ts$/, ""));
const names = process.argv.slice(2);

try {
  for (const name of names.length > 0 ? names : all) {
    if (!all.includes(name)) throw new Error(`There is no benchmark ${name}; there are: ${all.join(", ")}.`);
    const { run } = (await import(`./bench/${name}.ts`)) as { run(): Promise<void> };
    await run();
  }
} catch (cause) {
  console.error(cause instanceof Error ? cause.message : cause);
  process.exitCode = 2;
}
