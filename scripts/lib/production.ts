import { run } from "./run.ts";

/** Makes Hardhat use what is deployed: the production profile, and its artifacts. */
export const PRODUCTION = { HARDHAT_BUILD_PROFILE: "production" };

/** Compiles the contracts with the settings they are deployed with, and answers the compiler's exit code. */
export function buildProduction(): Promise<number> {
  return run("hardhat", ["build", "--no-tests"], { env: PRODUCTION });
}
