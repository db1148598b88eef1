import { createLiteClassifier } from "../../sdk/safety/injection/classifier/lite/lite.ts";
import { createInjectionDetector } from "../../sdk/safety/injection/detect.ts";
import { PiiDeidentifier } from "../../sdk/safety/pii/mask/deidentifier.ts";
import { SafetyPipeline } from "../../sdk/safety/pipeline/pipeline.ts";
import { screenToolResult } from "../../sdk/safety/pipeline/tool-result.ts";
import { percentile } from "../lib/statistics.ts";

const LENGTH = 2000;
const AT_ONCE = 200;
const NEEDED_P50_MS = 3;
const NEEDED_P99_MS = 10;

const MESSAGE =
  "The treasury at 0x52908400098527886E0F7030069857D2E4169EE7 swapped 1200 USDC for WETH at a fee of 0.3 %. Gas was 0.4 gwei, and the " +
  "position in the 0.05 % pool is in range. Write to treasurer@example.org before the vote on Monday; the agenda is at https://gov.example.org/42.\n";

/** Prints what a text takes through the whole pipeline: both scans, the embedded model, masking. */
export async function run(): Promise<void> {
  const pipeline = new SafetyPipeline({ injection: createInjectionDetector({ classifier: createLiteClassifier() }) });
  const text = MESSAGE.repeat(Math.ceil(LENGTH / MESSAGE.length)).slice(0, LENGTH);
  const check = async (): Promise<number> => {
    const start = performance.now();
    const verdict = await pipeline.check(text, { channel: "tool" });
    if (verdict.kind === "refused") throw new Error(`${verdict.code}: ${verdict.advice}`);

    return performance.now() - start;
  };
  try {
    for (let round = 0; round < 200; round += 1) await check();
    const times: number[] = [];
    for (let round = 0; round < 1000; round += 1) times.push(await check());
    const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];

    console.log(
      `\nPipeline, ${LENGTH} characters, one after the other: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`,
    );
    console.log(`${p50 <= NEEDED_P50_MS ? "ok  " : "MISS"} p50 of at most ${NEEDED_P50_MS} ms asked`);
    console.log(`${p99 <= NEEDED_P99_MS ? "ok  " : "MISS"} p99 of at most ${NEEDED_P99_MS} ms asked`);

    const start = performance.now();
    const screenings = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) =>
        screenToolResult({ pipeline, tool: "bench", result: `${index} ${text}`, session: new PiiDeidentifier() }),
      ),
    );
    const failed = screenings.filter(({ verdict }) => verdict.kind === "refused").length;
    console.log(
      `${failed === 0 ? "ok  " : "MISS"} ${AT_ONCE} tool results at once: ${failed} refused, ${(performance.now() - start).toFixed(0)} ms for all`,
    );
  } finally {
    await pipeline.close();
  }
}
