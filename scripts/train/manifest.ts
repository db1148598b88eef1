import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SourceFile } from "./sources.ts";

const MODELS = join(import.meta.dirname, "..", "..", "models");

export type TrainedModel = {
  /** Of the entry in the manifest. */
  name: "lite" | "embedder";
  file: string;
  bytes: Uint8Array;
  seed: number;
  sources: readonly SourceFile[];
  /** What else the entry says. */
  facts: object;
};

/** Writes a model of this project into models/, and its entry into models/manifest.json. */
export function writeModel({ name, file, bytes, seed, sources, facts }: TrainedModel): void {
  mkdirSync(MODELS, { recursive: true });
  writeFileSync(join(MODELS, file), bytes);
  const path = join(MODELS, "manifest.json");
  const manifest = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
  const entry = {
    license: "MIT",
    origin: "Trained by scripts/train.ts of this project; see README.md.",
    folder: ".",
    files: [{ name: file, sha256: createHash("sha256").update(bytes).digest("hex") }],
    bytes: bytes.length,
    training: {
      seed,
      node: process.versions.node,
      sources: sources.map((source) => ({ name: source.name, rows: source.rows.length, sha256: source.sha256 })),
    },
    ...facts,
  };
  writeFileSync(path, `${JSON.stringify({ ...manifest, [name]: entry }, null, 2)}\n`);
}
