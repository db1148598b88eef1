import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { IngestionError } from "../../../ingestion/errors.ts";
import { BadInput } from "../../terminal/failure.ts";
import { printJson } from "../../terminal/output.ts";

export type StoreOptions = { store: string; json: boolean };

/** Options of every command on a store. */
export function addStoreOptions(command: Command): Command {
  return command
    .option("--store <folder>", "folder of the knowledge store", "grimoire")
    .option("--json", "print the answer as JSON", false);
}

export function addConfigOption(command: Command): Command {
  return command.option(
    "--config <file>",
    "the owner's configuration file (or the variable POLICYCAGE_INGESTION_CONFIG)",
  );
}

/** Runs a command on a store; what ingestion refuses is told with its code, on standard output too where a script reads it. */
export async function answering(json: boolean, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof IngestionError)) throw error;
    if (json) printJson({ outcome: "failed", code: error.code, message: error.message, advice: error.advice });
    throw new BadInput(`${error.code}: ${error.message} ${error.advice}`, { cause: error });
  }
}

/** @throws BadInput where there is no store in the folder. */
export function expectStore(folder: string): void {
  if (existsSync(join(folder, "state.sqlite"))) return;
  throw new BadInput(`There is no knowledge store in ${folder}: name its folder with --store.`);
}
