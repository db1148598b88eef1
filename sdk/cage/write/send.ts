import type { Account, Hex, TransactionReceipt } from "viem";
import { call as ask, getTransaction, sendTransaction, waitForTransactionReceipt } from "viem/actions";
import { getAction } from "viem/utils";
import type { Reader, Wallet } from "../../core/clients.ts";
import { CageError, decodeCageError, revertDataOf, withCageErrors } from "../refusal/errors.ts";
import { cheaperWithList } from "./access-list.ts";
import type { ChainCall } from "./calls.ts";
import { orNoFunds } from "./funds.ts";

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
 * @throws {NoFundsError} when the sender cannot pay for it; nothing is sent.
 */
export async function sendCall({ reader, wallet }: Clients, call: ChainCall): Promise<TransactionReceipt> {
  const account = accountOf(wallet);
  const hash = await withCageErrors(() => simulateAndSend({ reader, wallet }, account, call)).catch(async (error) => {
    const isExplained = error instanceof CageError && error.data !== "0x";
    throw isExplained ? error : await orNoFunds({ reader, account, call }, error);
  });
  const receipt = await waitForTransactionReceipt(reader, { hash });
  if (receipt.status === "reverted") throw decodeCageError((await revertOf(reader, receipt)) ?? "0x");

  return receipt;
}

async function simulateAndSend({ reader, wallet }: Clients, account: Account, call: ChainCall): Promise<Hex> {
  await ask(reader, { account, ...call });
  const list = await cheaperWithList({ reader, wallet, account }, call);
  // The client of a smart account sends in a way of its own.
  const send = getAction(wallet, sendTransaction, "sendTransaction");

  return send({ account, chain: wallet.chain ?? null, ...call, ...list });
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
