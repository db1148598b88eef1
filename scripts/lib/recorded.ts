import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

/** What `work` prints, while it is printed. */
export async function printedBy(work: () => Promise<void>): Promise<string> {
  const { write } = process.stdout;
  let printed = "";
  process.stdout.write = ((chunk: string, ...rest: []) => {
    printed += chunk;

    return write.call(process.stdout, chunk, ...rest);
  }) as typeof write;
  try {
    await work();
  } finally {
    process.stdout.write = write;
  }

  return printed;
}

/** Keeps what was printed as snapshots/KIND/NAME.txt, where the documents' figures are looked up by a test. */
export function record(kind: "bench" | "eval", name: string, printed: string): void {
  const folder = join(import.meta.dirname, "..", "..", "snapshots", kind);
  const lines = printed.split("\n").map((line) => line.trimEnd());
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.txt`), `${lines.join("\n").trim()}\n`);
}
