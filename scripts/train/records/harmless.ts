import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { notations } from "../generate/containers.ts";
import { evenly } from "../injection/calibration.ts";
import { Random } from "../random.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const MOST_OF_SOURCE = 500;
/** UTF-16 units above which a file is hardly the answer of a tool. */
const MOST_OF_PACKAGE = 3000;

const ROW = z.object({ text: z.string().optional(), premise: z.string().optional() });
const LOCK = z.object({ packages: z.record(z.string(), z.object({ optional: z.boolean().optional() })) });

export type HarmlessRecords = { readonly source: string; readonly texts: readonly string[] };

/**
 * Harmless records as tools return them, of sources that no model was trained on: files of packages as they stand, and in a field of a
 * record what people write on the web, what customers say to a bank, and captions. The line is fitted on one half of each, and measured on
 * the other.
 */
export function harmlessRecords(data: string, half: "fitted" | "measured"): readonly HarmlessRecords[] {
  const halfOf = (texts: readonly string[]) =>
    evenly(
      texts.filter((_, index) => index % 2 === (half === "fitted" ? 0 : 1)),
      MOST_OF_SOURCE,
    );
  const written = (file: string) => halfOf(textsOf(join(data, file))).map(inRecord);

  return [
    { source: "tweets and posts, in records", texts: written("pii/wnut17_test_dev.jsonl") },
    { source: "what customers say, in records", texts: written("pii/presidio_synth_v2.jsonl") },
    { source: "captions, in records", texts: written("nli/dev.jsonl") },
    { source: "records of packages (package.json)", texts: halfOf(packageFiles()) },
  ];
}

function textsOf(path: string): readonly string[] {
  const lines = readFileSync(path, "utf8").trim().split("\n");
  const texts = lines.map((line) => ROW.parse(JSON.parse(line))).map(({ text, premise }) => text ?? premise ?? "");

  return [...new Set(texts)];
}

/** Those that are installed on every machine, by what the lock file pins. */
function packageFiles(): readonly string[] {
  const { packages } = LOCK.parse(JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")));

  return Object.entries(packages)
    .filter(([path, { optional }]) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) && optional !== true)
    .map(([path]) => join(ROOT, path, "package.json"))
    .map((file) => readFileSync(file, "utf8"))
    .filter((text) => text.length < MOST_OF_PACKAGE);
}

/** In one notation after the other. */
function inRecord(text: string, index: number): string {
  const all = notations();
  const layOut = all[index % all.length];
  if (layOut === undefined) throw new Error("There are no notations");
  const fields = [
    ["id", index],
    ["author", "Elif Moreau"],
    ["content", text],
    ["status", "published"],
  ] as const;

  return layOut(fields, new Random(index));
}
