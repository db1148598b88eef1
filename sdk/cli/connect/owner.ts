import type { Command } from "commander";
import type { Address } from "viem";
import type { ChainCall } from "../../cage/write/calls.ts";
import { paint, print, printJson, progress } from "../terminal/output.ts";
import {
  addCageOptions,
  addKeyOptions,
  type CageOptions,
  cageOf,
  connectWallet,
  type KeyOptions,
} from "./connection.ts";

export type OwnerOptions = CageOptions & KeyOptions & { calldata: boolean };

/** Options of a command that is one call of the cage: send it, or print it for a multisig. */
export function addOwnerOptions(command: Command): Command {
  return addKeyOptions(addCageOptions(command)).option(
    "--calldata",
    "print the call as JSON {to, data, value} instead of sending it: for a multisig",
    false,
  );
}

/**
 * Sends the call a command stands for, or prints it.
 * @param make The call, for the cage that was named.
 * @param done What has happened once it is mined.
 */
export async function runOwnerCall(
  options: OwnerOptions,
  make: (cage: Address) => Promise<ChainCall> | ChainCall,
  done: string,
): Promise<void> {
  const cage = cageOf(options);
  if (options.calldata) {
    printJson(await make(cage));
    return;
  }
  const clients = await connectWallet(options);
  const [{ sendCall }, { requireCage }] = await Promise.all([import("../../cage/write/send.ts"), import("./cage.ts")]);
  await requireCage(clients.reader, cage);
  const call = await make(cage);
  const receipt = await progress("sending", () => sendCall(clients, call));
  print(`${paint("green", done)}  transaction ${receipt.transactionHash}`);
}
