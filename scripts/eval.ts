/**
 * Measures detection on the data sets: `npm run eval -- [injection ...] [--data ../shared/data]`; all evaluations without a name.
 *
 * What thresholds are set on is looked at with `--half dev`; the other half is what is reported.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { data: { type: "string" }, half: { type: "string", default: "test" } },
});
const data = values.data ?? process.env.POLICYCAGE_DATA ?? join(import.meta.dirname, "..", "..", "shared", "data");
const all = readdirSync(join(import.meta.dirname, "eval"))
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.replace(/\.ts$/, ""));

try {
  const half = values.half === "dev" || values.half === "test" ? values.half : undefined;
  if (half === undefined) throw new Error(`There is no half ${values.half}; there are: dev, test.`);
  for (const name of positionals.length > 0 ? positionals : all) {
    if (!all.includes(name)) throw new Error(`There is no evaluation ${name}; there are: ${all.join(", ")}.`);
    const { run } = (await import(`./eval/${name}.ts`)) as {
      run(data: string, half: "dev" | "test"): Promise<void>;
    };
    await run(data, half);
  }
} catch (cause) {
  console.error(cause instanceof Error ? cause.message : cause);
  process.exitCode = 2;
}
