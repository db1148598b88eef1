import { setTimeout } from "node:timers/promises";
import type { Command } from "commander";
import {
  addCageOptions,
  addKeyOptions,
  type CageOptions,
  cageOf,
  connect,
  connectWallet,
  type KeyOptions,
} from "../../connect/connection.ts";
import { readPolicyFile } from "../../terminal/files.ts";
import { print, printJson, progress } from "../../terminal/output.ts";
import { planLines } from "./plan.ts";

type Options = CageOptions & KeyOptions & { wait: boolean; calldata: boolean };

export function registerApply(program: Command): void {
  addKeyOptions(
    addCageOptions(
      program
        .command("apply")
        .description(
          "Submit the changes that lead to this file, and run those that have matured. Run it again until nothing is left.",
        )
        .argument("<file>", "policy file")
        .option("--wait", "stay and run each change as it matures", false)
        .option("--calldata", "print what can be sent now as JSON [{to, data, value}] instead: for a multisig", false),
    ),
  )
    .addHelpText("after", "\nExample:\n  policycage apply policy.json --cage 0x... --rpc <url> --keystore OWNER_KEY")
    .action(apply);
}

async function apply(file: string, options: Options): Promise<void> {
  const policy = await readPolicyFile(file);
  const cage = cageOf(options);
  const { applyPolicy } = await import("../../../cage/write/apply.ts");
  const { requireCage } = await import("../../connect/cage.ts");
  if (options.calldata) {
    const reader = await connect(options);
    await requireCage(reader, cage);
    const { sendableNow } = await import("../../../cage/write/sendable.ts");
    printJson(await sendableNow(reader, cage, policy));
    return;
  }

  const clients = await connectWallet(options);
  const { reader } = clients;
  await requireCage(reader, cage);
  const [{ sendCall }, { formatTime }] = await Promise.all([
    import("../../../cage/write/send.ts"),
    import("../../../core/format.ts"),
  ]);
  const wait = async (until: bigint) => {
    // The chain's time moves with its blocks, not with this machine's clock.
    while ((await reader.getBlock()).timestamp < until) await setTimeout(reader.pollingInterval);
  };
  const left = await progress("applying", () =>
    applyPolicy({
      reader,
      cage,
      next: policy,
      send: (call) => sendCall(clients, call),
      ...(options.wait ? { wait } : {}),
      onProgress: (step) => {
        if (step.kind === "waiting") print(`waiting  ${step.step.setter}, until ${formatTime(step.until)}`);
        else print(`${step.kind}  ${step.step.setter}`);
      },
    }),
  );
  print(...(await planLines(left)));
}
