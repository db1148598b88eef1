import { type Address, encodeFunctionData, type Hex, hexToBigInt, numberToHex, pad, parseAbi } from "viem";
import { getBlockNumber, getCode, readContract } from "viem/actions";
import type { ChainCall } from "../sdk/cage/write/calls.ts";
import type { Reader } from "../sdk/core/clients.ts";
import { PolicyCageError } from "../sdk/core/errors.ts";

/** Safe 1.5.0: https://github.com/safe-global/safe-smart-account */
const safeAbi = parseAbi([
  "function VERSION() view returns (string)",
  "function getModulesPaginated(address start, uint256 pageSize) view returns (address[] modules, address next)",
  "function getStorageAt(uint256 offset, uint256 length) view returns (bytes)",
  "function setGuard(address guard)",
  "function setModuleGuard(address moduleGuard)",
  "function enableModule(address module)",
]);

/** Where a Safe keeps its guards: keccak256 of "guard_manager.guard.address" and of "module_manager.module_guard.address". */
const GUARD_SLOTS = {
  "transaction guard": 0x4a204f620c8c5ccdca3fd54d003badd85ba500436a431f0cbda4f558c93c34c8n,
  "module guard": 0xb104e0b93118902c651344349b610029d694cfdec91c589c91ebafbcd0289947n,
} as const;

/** The first module of the list, which is nobody. */
const SENTINEL: Address = pad("0x01", { size: 20 });

/** The Safe cannot be caged as it is. */
export class SafeError extends PolicyCageError {
  override readonly name = "SafeError";

  constructor(message: string, advice: string, cause?: unknown) {
    super(message, { code: "SAFE_NOT_CAGEABLE", advice, cause });
  }
}

/**
 * Asks a Safe, at one block, whether it can be caged: it asks guards about modules (from 1.5.0 on), no other module could pass by the cage,
 * and no other guard would be replaced. What is installed of `guard` already is no hindrance.
 * @throws {SafeError} naming what stands in the way.
 */
export async function requireCageableSafe(reader: Reader, safe: Address, guard: Address): Promise<void> {
  const blockNumber = await getBlockNumber(reader);
  const read = { abi: safeAbi, address: safe, blockNumber } as const;
  if ((await getCode(reader, { address: safe, blockNumber })) === undefined) {
    throw new SafeError(
      `There is no contract at ${safe}.`,
      "Check the address, and that the node is of the same network.",
    );
  }
  const version = await readContract(reader, { ...read, functionName: "VERSION" }).catch((cause: unknown) => {
    throw new SafeError(`${safe} does not answer as a Safe does.`, "Check the address.", cause);
  });
  if (!/^1\.[5-9]\./.test(version)) {
    throw new SafeError(
      `${safe} is a Safe ${version.slice(0, 20)}, which asks no guard about its modules.`,
      "Move to a Safe 1.5.0 first.",
    );
  }
  const [modules] = await readContract(reader, { ...read, functionName: "getModulesPaginated", args: [SENTINEL, 10n] });
  const other = modules.find((module) => hexToBigInt(module) !== hexToBigInt(guard));
  if (other !== undefined) {
    throw new SafeError(`The module ${other} is enabled on ${safe}.`, "Disable it first: the cage would refuse it.");
  }
  for (const [name, slot] of Object.entries(GUARD_SLOTS)) {
    const word = await readContract(reader, { ...read, functionName: "getStorageAt", args: [slot, 1n] });
    const present = hexToBigInt(word);
    if (present === 0n || present === hexToBigInt(guard)) continue;
    throw new SafeError(
      `${safe} has another ${name}, ${numberToHex(present, { size: 20 })}.`,
      "Take it away first: a Safe has one, and the cage must be it.",
    );
  }
}

/** What the owners sign, in one transaction, to cage their Safe with `guard`. */
export function installCalls(safe: Address, guard: Address): readonly ChainCall[] {
  return (["setModuleGuard", "enableModule", "setGuard"] as const).map((functionName) => ({
    to: safe,
    data: encodeFunctionData({ abi: safeAbi, functionName, args: [guard] }) satisfies Hex,
    value: 0n,
  }));
}
