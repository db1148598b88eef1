import {
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  type PublicClient,
  parseAbi,
} from "viem";
import type { RegistryReader } from "../../ports.ts";

const REGISTRY_ABI = parseAbi(["function getAgentWallet(uint256 agentId) view returns (address)"]);
const WALLET_ABI = parseAbi(["function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)"]);
const ACCEPTED = "0x1626ba7e";

/** The ERC-8004 identity registry at `address`, read at the client's latest block. */
export function erc8004Registry({ client, address }: { client: PublicClient; address: Address }): RegistryReader {
  const chainId = client.chain?.id;
  if (chainId === undefined) throw new RangeError("the client of a registry needs a chain");

  return {
    chainId,

    async walletOf(agentId) {
      await expectChain(client, chainId);
      try {
        return await client.readContract({
          address,
          abi: REGISTRY_ABI,
          functionName: "getAgentWallet",
          args: [agentId],
        });
      } catch (error) {
        // A registry that answers "revert" knows no such agent. One that answers nothing is not there: that is no answer.
        if (causeOf(error, ContractFunctionRevertedError)) return undefined;
        throw error;
      }
    },

    async acceptsSignature(wallet, digest, signature) {
      try {
        const answer = await client.readContract({
          address: wallet,
          abi: WALLET_ABI,
          functionName: "isValidSignature",
          args: [digest, signature],
        });

        return answer === ACCEPTED;
      } catch (error) {
        // The wallet answered, though not with a yes; only a node that did not answer leaves the question open.
        if (causeOf(error, ContractFunctionRevertedError) || causeOf(error, ContractFunctionZeroDataError))
          return false;
        if (isUndecodable(error)) return false;
        throw error;
      }
    },
  };
}

/** A node of another chain would answer for other agents of the same number. */
async function expectChain(client: PublicClient, expected: number): Promise<void> {
  const actual = await client.getChainId();
  if (actual !== expected) throw new Error(`the node answers for chain ${actual}, not ${expected}`);
}

function causeOf(error: unknown, kind: new (...args: never[]) => Error): boolean {
  return error instanceof BaseError && error.walk((cause) => cause instanceof kind) instanceof kind;
}

function isUndecodable(error: unknown): boolean {
  return (
    error instanceof BaseError &&
    error.walk((cause) => cause instanceof Error && /^AbiDecoding/.test(cause.name)) !== null
  );
}
