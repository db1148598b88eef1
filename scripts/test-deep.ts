// Runs the Solidity tests with the fuzz and invariant settings that take their time.

import process from "node:process";
import { run } from "./lib/run.ts";

process.exitCode = await run("hardhat", ["test", "solidity", ...process.argv.slice(2)], {
  env: { HARDHAT_TEST_PROFILE: "deep" },
});
