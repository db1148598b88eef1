import { existsSync } from "node:fs";
import { IngestionError } from "../../errors.ts";
import type { Embedder } from "../../ports.ts";
import { statePath } from "../../store/file/lock.ts";
import { openForReading } from "../../store/file/maintain.ts";

/** The embedders of `policycage-models`: a table of words (4.8 MB), and a sentence transformer, which knows meanings and takes 100 times as long. */
export const PACKAGED_EMBEDDERS = ["lite", "transformer"] as const;

export type PackagedEmbedder = (typeof PACKAGED_EMBEDDERS)[number];

const PREFIXES: Readonly<Record<PackagedEmbedder, string>> = { lite: "lite-embedder-", transformer: "transformer-" };

/**
 * The packaged embedder that the store in a folder was made with; where there is none yet, the one of this name, or `lite`. Vectors of two
 * models cannot be compared: with another embedder a store would forget the near copies of what it has rejected.
 * @throws IngestionError `EMBEDDER_FIXED` when the store was made with another than is named; what opening a store to read it throws;
 * `EMBEDDER_UNAVAILABLE`; OptionalPackageError
 */
export async function packagedEmbedder(directory: string, name?: PackagedEmbedder): Promise<Embedder> {
  const before = embedderBefore(directory);
  if (before !== undefined && name !== undefined && before !== name) {
    throw new IngestionError("EMBEDDER_FIXED", `The store in ${directory} was made with ${before}, not with ${name}.`);
  }
  if ((before ?? name ?? "lite") === "lite") return await (await import("./lite.ts")).liteEmbedder();

  return await (await import("./transformer.ts")).transformerEmbedder();
}

function embedderBefore(directory: string): PackagedEmbedder | undefined {
  if (!existsSync(statePath(directory))) return undefined;
  const database = openForReading(directory);
  try {
    const id = String(database.get("SELECT value FROM meta WHERE key = 'embedder'")?.value);

    return PACKAGED_EMBEDDERS.find((name) => id.startsWith(PREFIXES[name]));
  } finally {
    database.close();
  }
}
