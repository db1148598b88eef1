#!/usr/bin/env node
import process from "node:process";
import { Command, CommanderError } from "commander";
import { registerScreen } from "./screen.ts";

const program = new Command("policycage")
  .description("On-chain spending rules for autonomous trading agents")
  .exitOverride();
registerScreen(program);

try {
  await program.parseAsync();
} catch (error) {
  // Commander has said what is wrong, or printed the help that was asked for.
  process.exitCode = error instanceof CommanderError && error.exitCode === 0 ? 0 : 2;
  if (!(error instanceof CommanderError)) console.error(error instanceof Error ? error.message : String(error));
}
