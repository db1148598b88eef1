import { run } from "./run.ts";
import { productionSources } from "./sources.ts";

/** Compiles what is deployed, with the settings it is deployed with, and answers the compiler's exit code. */
export function buildProduction(): Promise<number> {
  return run("hardhat", ["build", ...productionSources()], { env: { HARDHAT_BUILD_PROFILE: "production" } });
}
