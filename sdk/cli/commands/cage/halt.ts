import type { Command } from "commander";
import { addOwnerOptions, type OwnerOptions, runOwnerCall } from "../../connect/owner.ts";

export function registerHalt(program: Command): void {
  addOwnerOptions(
    program.command("halt").description("Stop the golem at once. Owner or guardian; withdrawing goes on."),
  )
    .addHelpText(
      "after",
      "\nExample:\n  policycage halt --cage 0x... --rpc http://127.0.0.1:8545 --key-env GUARDIAN_KEY",
    )
    .action(halt);
}

async function halt(options: OwnerOptions): Promise<void> {
  const { cageCall } = await import("../../../cage/write/calls.ts");
  await runOwnerCall(options, (cage) => cageCall(cage, "emergencyHalt", []), "Halted: no execution starts any more.");
}
