import { type Address, encodeFunctionData, keccak256, parseAbi, stringToHex } from "viem";
import { readContract } from "viem/actions";
import { policyCageEnforcerAbi } from "../../abi/generated/policy-cage-enforcer.ts";
import type { Reader } from "../../core/clients.ts";
import { ZERO } from "../../core/units.ts";
import { encodePermissionContext, type SignedDelegation } from "../../policy/custody/delegation.ts";
import type { ChainCall } from "../write/calls.ts";

/** ERC-1820, at the same address on every chain: https://eips.ethereum.org/EIPS/eip-1820 */
export const REGISTRY: Address = "0x1820a4B7618BdE71Dce8cdc73aAB6C95905faD24";

/** What an account says in the registry that its enforcer does for it. */
export const ENFORCER = keccak256(stringToHex("PolicyCageEnforcer"));

export const registryAbi = parseAbi([
  "function getInterfaceImplementer(address account, bytes32 interfaceHash) view returns (address)",
  "function setInterfaceImplementer(address account, bytes32 interfaceHash, address implementer)",
]);

/**
 * What the account that `delegation` is of calls, in this order, so that the enforcer acts for it under `cage`: it names the enforcer where others look for it, and gives it
 * cage and delegation.
 */
export function enforcerInstallation(cage: Address, delegation: SignedDelegation): readonly ChainCall[] {
  const { delegate: enforcer, delegator } = delegation;
  const named = encodeFunctionData({
    abi: registryAbi,
    functionName: "setInterfaceImplementer",
    args: [delegator, ENFORCER, enforcer],
  });
  const installed = encodeFunctionData({
    abi: policyCageEnforcerAbi,
    functionName: "install",
    args: [cage, encodePermissionContext(delegation)],
  });

  return [
    { to: REGISTRY, data: named, value: 0n },
    { to: enforcer, data: installed, value: 0n },
  ];
}

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
