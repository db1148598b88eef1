import { setImmediate } from "node:timers/promises";

/** What may keep the process busy before others have their turn. */
const LONGEST_MS = 10;

/** A function to be called again and again during long work: it lets others have their turn once they have waited for ten milliseconds. */
export function breathing(): () => Promise<void> {
  let since = performance.now();

  return async () => {
    if (performance.now() - since < LONGEST_MS) return;
    await setImmediate();
    since = performance.now();
  };
}
