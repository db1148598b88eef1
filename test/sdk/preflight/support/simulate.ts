import { type Address, erc20Abi } from "viem";
import { getBalance, readContract } from "viem/actions";
import { accountCall } from "../../../../sdk/cage/write/calls.ts";
import { sendCall } from "../../../../sdk/cage/write/send.ts";
import type { Effects, Proposal } from "../../../../sdk/index.ts";
import { type Guarded, NATIVE, type Stage } from "../../support/stage.ts";

/** Answers every call with success and nothing. */
const PERMISSIVE = "0x5f5ff3";

/** What the calls of a proposal do, as they would run with a cage that says yes to everything; the chain is afterwards as it was. */
export async function simulateAt(
  { node, reader, people }: Stage,
  { cage, account }: Guarded,
  { assets, proposal: { trades = [] } }: { assets: readonly Address[]; proposal: Proposal },
): Promise<Effects> {
  const id = await node.test.snapshot();
  try {
    await node.test.setCode({ address: cage, bytecode: PERMISSIVE });
    await sendCall(people.golem.clients, accountCall(account, "execute", [trades]));

    return {
      balances: await Promise.all(
        assets.map(async (asset) => ({
          asset,
          balance: await (asset === NATIVE
            ? getBalance(reader, { address: account })
            : readContract(reader, { abi: erc20Abi, address: asset, functionName: "balanceOf", args: [account] })),
        })),
      ),
    };
  } finally {
    await node.test.revert({ id });
  }
}
