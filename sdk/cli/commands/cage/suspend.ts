import type { Command } from "commander";
import { addOwnerOptions, type OwnerOptions, runOwnerCall } from "../../connect/owner.ts";
import { BadInput } from "../../terminal/failure.ts";
import { parseAddress } from "../../terminal/values.ts";

type Options = OwnerOptions & { asset?: string; protocol?: string };

export function registerSuspend(program: Command): void {
  addOwnerOptions(
    program
      .command("suspend")
      .description("Bar an asset from being bought, or a protocol from being called, at once. Owner or guardian.")
      .option("--asset <address>", "asset of the policy")
      .option("--protocol <address>", "protocol of the policy"),
  )
    .addHelpText(
      "after",
      "\nLifting a suspension takes an hour: `liftSuspension` is a change like others." +
        "\n\nExample:\n  policycage suspend --protocol 0x... --cage 0x... --rpc http://127.0.0.1:8545",
    )
    .action(suspend);
}

async function suspend({ asset, protocol, ...options }: Options): Promise<void> {
  if ((asset === undefined) === (protocol === undefined)) throw new BadInput("Name one of --asset and --protocol.");
  const { cageCall } = await import("../../../cage/write/calls.ts");
  if (asset !== undefined) {
    const address = parseAddress(asset, "--asset");
    await runOwnerCall(
      options,
      (cage) => cageCall(cage, "suspendAsset", [address]),
      `${address} can not be bought any more.`,
    );
  } else if (protocol !== undefined) {
    const address = parseAddress(protocol, "--protocol");
    const done = `${address} can not be called any more.`;
    await runOwnerCall(options, (cage) => cageCall(cage, "suspendProtocol", [address]), done);
  }
}
