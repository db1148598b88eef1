/**
 * Measures detection on the data sets: `npm run eval -- [injection ...] [--data ../shared/data]`; all evaluations without a name. With
 * `--dev` on the half of the data that thresholds are set on, where an evaluation divides its data.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { data: { type: "string" }, dev: { type: "boolean" } },
});
const data = values.data ?? process.env.POLICYCAGE_DATA ?? join(import.meta.dirname, "..", "..", "shared", "data");
const all = readdirSync(join(import.meta.dirname, "eval"))
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.replace(/\.ts$/, ""));

try {
  for (const name of positionals.length > 0 ? positionals : all) {
    if (!all.includes(name)) throw new Error(`There is no evaluation ${name}; there are: ${all.join(", ")}.`);
    const { run } = (await import(`./eval/${name}.ts`)) as {
      run(data: string, options: { isDev: boolean }): Promise<void>;
    };
    await run(data, { isDev: values.dev ?? false });
  }
} catch (cause) {
  console.error(cause instanceof Error ? cause.message : cause);
  process.exitCode = 2;
}
