// Loaded before a gateway: says on a signal how much of its memory is in use once what is not has been collected.

import process from "node:process";

process.on("SIGUSR2", () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  console.log(`In use: ${heapUsed + external}`);
});
