import type { Command } from "commander";
import { addOwnerOptions, type OwnerOptions, runOwnerCall } from "../../connect/owner.ts";

export function registerResume(program: Command): void {
  addOwnerOptions(program.command("resume").description("Let a halted cage execute again. Owner only."))
    .addHelpText(
      "after",
      "\nExample:\n  policycage resume --cage 0x... --rpc http://127.0.0.1:8545 --keystore OWNER_KEY",
    )
    .action(resume);
}

async function resume(options: OwnerOptions): Promise<void> {
  const { cageCall } = await import("../../../cage/write/calls.ts");
  await runOwnerCall(options, (cage) => cageCall(cage, "resume", []), "Resumed: executions may start again.");
}
