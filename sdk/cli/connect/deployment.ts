import { readdir } from "node:fs/promises";
import process from "node:process";
import { type Address, encodeFunctionData, type Hex, type PublicClient } from "viem";
import { addresses, type CageOrder, cageCode } from "../../../deploy/code.ts";
import { policyCageFactoryAbi } from "../../abi/generated/policy-cage-factory.ts";
import { CageError, withCageErrors } from "../../cage/refusal/errors.ts";
import { BadInput } from "../terminal/failure.ts";
import { parseAddress } from "../terminal/values.ts";

/** Why a deployment stopped. Once the factory is there it tells which rule the chain refuses the policy by. */
export async function explainDeployment(
  error: Error,
  { reader, config, roles, salt, creator }: CageOrder & { reader: PublicClient },
): Promise<string> {
  const to = addresses.PolicyCageFactory;
  const advice = "What was deployed so far stays; run the command again to go on.";
  if ((await reader.getCode({ address: to })) === undefined) return `${error.message} ${advice}`;
  const data = encodeFunctionData({
    abi: policyCageFactoryAbi,
    functionName: "createCage",
    args: [cageCode, config, roles, salt],
  });
  try {
    await withCageErrors(() => reader.call({ account: creator, to, data }));
  } catch (refusal) {
    if (refusal instanceof CageError) return `${refusal.message} ${refusal.advice}`;
  }

  return `${error.message} ${advice}`;
}

/** Cages of this chain that the owner has already: the one in POLICYCAGE_CAGE, and those with a journal in `directory`. */
async function cagesAlready(reader: PublicClient, directory: string): Promise<Address[]> {
  const named = process.env.POLICYCAGE_CAGE;
  const chainId = await reader.getChainId();
  const journals = await readdir(directory).catch(() => []);
  const found = new Set<Address>();
  for (const name of journals) {
    const match = /^(\d+)-(0x[0-9a-fA-F]{40})$/.exec(name);
    if (match !== null && Number(match[1]) === chainId) found.add(match[2] as Address);
  }
  if (named !== undefined && named !== "") found.add(parseAddress(named, "POLICYCAGE_CAGE"));
  const codes = await Promise.all([...found].map((address) => reader.getCode({ address })));

  return [...found].filter((_, index) => codes[index] !== undefined);
}

/**
 * An edited file deployed again makes another cage, and leaves the first with the money.
 * @throws BadInput when the owner has a cage on this chain.
 */
export async function requireFirstCage(reader: PublicClient, file: string, directory: string): Promise<void> {
  const [cage] = await cagesAlready(reader, directory);
  if (cage === undefined) return;
  throw new BadInput(
    `There is a cage at ${cage} already, and this would be a second one. To change that one: policycage apply ${file} ` +
      `--cage ${cage}. To deploy another on purpose: --another.`,
  );
}

/** What was paid for transactions: gas, and wei. */
export async function paidFor(reader: PublicClient, hashes: readonly Hex[]): Promise<{ gas: bigint; cost: bigint }> {
  const receipts = await Promise.all(hashes.map((hash) => reader.getTransactionReceipt({ hash })));

  return receipts.reduce(
    ({ gas, cost }, { gasUsed, effectiveGasPrice }) => ({
      gas: gas + gasUsed,
      cost: cost + gasUsed * effectiveGasPrice,
    }),
    { gas: 0n, cost: 0n },
  );
}
