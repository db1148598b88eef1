import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const root = new URL("../../", import.meta.url);

/** Absolute path of a file of the repository. */
export function pathOf(path: string): string {
  return fileURLToPath(new URL(path, root));
}

export function read(path: string): string {
  return readFileSync(pathOf(path), "utf8");
}

export function write(path: string, text: string): void {
  mkdirSync(dirname(pathOf(path)), { recursive: true });
  writeFileSync(pathOf(path), text);
}
