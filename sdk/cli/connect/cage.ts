import type { Address, PublicClient } from "viem";
import { policyCageAbi } from "../../abi/generated/policy-cage.ts";
import { readConfig } from "../../cage/read/reader.ts";

/** Asks for a cage at an address before anything is sent there. */
export async function requireCage(reader: PublicClient, cage: Address): Promise<void> {
  await readConfig(reader, cage);
}

/** The account that a cage guards. */
export async function readAccount(reader: PublicClient, cage: Address): Promise<Address> {
  await requireCage(reader, cage);

  return reader.readContract({ abi: policyCageAbi, address: cage, functionName: "account" });
}

/** Who may sign and send in the cage's name. */
export async function readRoles(reader: PublicClient, cage: Address): Promise<{ owner: Address; operator: Address }> {
  const read = (functionName: "owner" | "operator") =>
    reader.readContract({ abi: policyCageAbi, address: cage, functionName });
  const [owner, operator] = await Promise.all([read("owner"), read("operator")]);

  return { owner, operator };
}
