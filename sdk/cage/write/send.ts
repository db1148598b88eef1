import type { Account, TransactionReceipt } from "viem";
import { call as ask, getTransaction, sendTransaction, waitForTransactionReceipt } from "viem/actions";
import { getAction } from "viem/utils";
import type { Reader, Wallet } from "../../core/clients.ts";
import { decodeCageError, revertDataOf, withCageErrors } from "../refusal/errors.ts";
import { cheaperWithList } from "./access-list.ts";
import type { ChainCall } from "./calls.ts";

/** Where reads go, and who signs: any viem wallet client with an account, of a key, a smart account or a node. */
export type Clients = { reader: Reader; wallet: Wallet };

/** The account of a wallet client. */
export function accountOf({ account }: Wallet): Account {
  if (account === undefined) throw new TypeError("The wallet client has no account: pass one when creating it.");

  return account;
}

/**
 * Simulates `call`, sends it and waits for it. An access list goes with it where it makes the transaction cheaper.
 * @throws {CageError} when the simulation or the transaction is refused; nothing is sent in the first case.
 */
export async function sendCall({ reader, wallet }: Clients, call: ChainCall): Promise<TransactionReceipt> {
  const account = accountOf(wallet);
  await withCageErrors(() => ask(reader, { account, ...call }));
  // The client of a smart account sends in a way of its own.
  const send = getAction(wallet, sendTransaction, "sendTransaction");
  const list = await cheaperWithList({ reader, wallet, account }, call);
  const hash = await withCageErrors(() => send({ account, chain: wallet.chain ?? null, ...call, ...list }));
  const receipt = await waitForTransactionReceipt(reader, { hash });
  if (receipt.status === "reverted") throw decodeCageError((await revertOf(reader, receipt)) ?? "0x");

  return receipt;
}

/**
 * What a mined transaction was refused with, by running it again on the block before it, then on its own block.
 * @returns undefined when it runs through on both: what it met inside its block is gone.
 */
export async function revertOf(reader: Reader, { transactionHash, blockNumber }: TransactionReceipt) {
  const { from, to, input, value, gas } = await getTransaction(reader, { hash: transactionHash });
  for (const at of [blockNumber - 1n, blockNumber]) {
    try {
      await ask(reader, { account: from, to, data: input, value, gas, blockNumber: at });
    } catch (error) {
      const data = revertDataOf(error);
      if (data !== undefined) return data;
      throw error;
    }
  }

  return undefined;
}
