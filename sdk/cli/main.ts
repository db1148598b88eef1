#!/usr/bin/env node
import { realpathSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { Command, CommanderError } from "commander";
import { registerApply } from "./apply.ts";
import { registerCheck } from "./check.ts";
import { registerDemo } from "./demo.ts";
import { registerDeploy } from "./deploy.ts";
import { registerExplain } from "./explain.ts";
import { registerHalt } from "./halt.ts";
import { registerHwm } from "./hwm.ts";
import { registerIngest } from "./ingest.ts";
import { registerInit } from "./init.ts";
import { registerPlan } from "./plan.ts";
import { registerResume } from "./resume.ts";
import { registerScreen } from "./screen.ts";
import { registerSession } from "./session.ts";
import { registerStatus } from "./status.ts";
import { report } from "./support/failure.ts";
import { registerSuspend } from "./suspend.ts";
import { registerVerify } from "./verify.ts";

const REGISTER = [
  registerInit,
  registerCheck,
  registerDeploy,
  registerVerify,
  registerStatus,
  registerPlan,
  registerApply,
  registerHwm,
  registerSession,
  registerHalt,
  registerResume,
  registerSuspend,
  registerExplain,
  registerScreen,
  registerIngest,
  registerDemo,
];

function createProgram(): Command {
  const program = new Command("policycage")
    .description("Rules that autonomous trading agents can not break: write them, deploy them, watch them.")
    .exitOverride()
    .addHelpText("after", "\nExit codes: 0 good, 1 the answer is no, 2 bad input or failure.");
  for (const register of REGISTER) register(program);

  return program;
}

/** Commands inherit how they exit only when they are made by `command()`; groups have commands of their own. */
function overrideExits(command: Command): void {
  command.exitOverride();
  for (const child of command.commands) overrideExits(child);
}

async function main(): Promise<void> {
  const program = createProgram();
  overrideExits(program);
  try {
    await program.parseAsync();
  } catch (error) {
    // Commander has said what it did not understand.
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else report(error);
  }
}

// A closed pipe (`policycage status | head`) is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit();
  throw error;
});

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await main();
