// Loaded before a gateway: says on a signal how much of its memory is in use once what is not has been collected.

import process from "node:process";
import { setTimeout } from "node:timers/promises";

process.on("SIGUSR2", async () => {
  globalThis.gc?.();
  // What objects held outside of the heap is given back behind them.
  await setTimeout(500);
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  console.log(`In use: ${heapUsed + external}`);
});
