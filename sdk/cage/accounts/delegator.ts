import { type Address, keccak256, parseAbi, stringToHex } from "viem";
import { readContract } from "viem/actions";
import type { Reader } from "../../core/clients.ts";
import { ZERO } from "../../core/units.ts";

/** ERC-1820, at the same address on every chain: https://eips.ethereum.org/EIPS/eip-1820 */
export const REGISTRY: Address = "0x1820a4B7618BdE71Dce8cdc73aAB6C95905faD24";

/** What an account says in the registry that its enforcer does for it. */
export const ENFORCER = keccak256(stringToHex("PolicyCageEnforcer"));

export const registryAbi = parseAbi([
  "function getInterfaceImplementer(address account, bytes32 interfaceHash) view returns (address)",
  "function setInterfaceImplementer(address account, bytes32 interfaceHash, address implementer)",
]);

/** Who acts for `account` by its own word in the registry; nobody where there is none, or no registry. */
export async function enforcerOf(
  reader: Reader,
  account: Address,
  at: { blockNumber?: bigint },
): Promise<Address | undefined> {
  const enforcer = await readContract(reader, {
    ...at,
    abi: registryAbi,
    address: REGISTRY,
    functionName: "getInterfaceImplementer",
    args: [account, ENFORCER],
  }).catch(() => ZERO);

  return enforcer === ZERO ? undefined : enforcer;
}
