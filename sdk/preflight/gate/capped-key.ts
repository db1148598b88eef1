import {
  type Address,
  decodeFunctionData,
  type Hex,
  isAddressEqual,
  type LocalAccount,
  type TransactionSerializable,
} from "viem";
import { getChainId } from "viem/actions";
import { cagedAccountAbi } from "../../abi/generated/caged-account.ts";
import type { Reader } from "../../core/clients.ts";
import { CustodyRefusal } from "../../policy/custody/local-key.ts";
import { critique } from "../critique.ts";
import { evaluate } from "../evaluate/evaluate.ts";
import type { Proposal } from "../evaluate/proposal.ts";
import { readEvaluationState } from "../read.ts";
import { simulateEffects } from "../simulate.ts";

/** Time of the block in which a transaction would run, after the one that was read, in seconds. */
const NEXT_BLOCK = 12n;

/**
 * A session key in the golem's own process that signs what `evaluate` allows and nothing else: where the key itself caps nothing, amounts
 * are capped before the chain does it. For development, and for the embedded mode without an enclave: whoever has the process has the
 * key. See decision 157.
 * @returns a signer whose `signTransaction` rejects with {@link CustodyRefusal} what the policy of the cage does not allow at the newest
 * block, and with what the node answers where it cannot be asked; it signs nothing but transactions.
 */
export function toCappedKey({
  signer,
  reader,
  cage,
}: {
  signer: LocalAccount;
  reader: Reader;
  cage: Address;
}): LocalAccount {
  const refuse = (what: string) => async (): Promise<never> => {
    throw new CustodyRefusal(`${what} is none`);
  };

  return {
    address: signer.address,
    publicKey: signer.publicKey,
    source: "policycage",
    type: "local",
    // A serializer of the caller's would sign what was not judged.
    async signTransaction(transaction) {
      // Every field is read once: what is judged is what is signed.
      const copy = { ...transaction } as TransactionSerializable;
      const proposal = proposalOf(copy, signer.address);
      const { policy, state, block } = await readEvaluationState(reader, { cage, proposal });
      if (!isAddressEqual(state.account, proposal.account)) {
        throw new CustodyRefusal(`the transaction goes to ${proposal.account}`);
      }
      const effects = await simulateEffects(reader, { policy, cage, proposal, blockNumber: block.number });
      const verdict = evaluate({ policy, state, proposal, effects, now: block.timestamp + NEXT_BLOCK });
      const [first] = critique(verdict);
      if (first !== undefined || !verdict.isAllowed) {
        throw new CustodyRefusal(
          first === undefined ? "the policy does not allow it" : `${first.code}: ${first.message}`,
        );
      }
      const { account } = proposal;
      const limited = policy.toCustodyPolicy("localKey", { signer, account, chainId: await getChainId(reader) });

      return limited.signer.signTransaction(copy);
    },
    sign: refuse("a hash"),
    signAuthorization: refuse("an EIP-7702 authorization"),
    signMessage: refuse("a message"),
    signTypedData: refuse("typed data"),
  };
}

function proposalOf({ to, data = "0x" }: TransactionSerializable, golem: Address): Proposal {
  if (typeof to !== "string") throw new CustodyRefusal("the transaction goes to nobody");
  const of = { account: to, golem };
  const call = decoded(data);
  switch (call?.functionName) {
    case "execute":
    case "attempt":
      return { ...of, trades: call.args[0] };
    case "transferOut": {
      const [asset, amount, recipient] = call.args;

      return { ...of, transfer: { asset, amount, recipient } };
    }
    default:
      throw new CustodyRefusal(`the transaction calls ${data.slice(0, 10)}`);
  }
}

function decoded(data: Hex) {
  try {
    return decodeFunctionData({ abi: cagedAccountAbi, data });
  } catch {
    return undefined;
  }
}
