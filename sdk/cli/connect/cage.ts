import type { Address, PublicClient } from "viem";
import { readConfig } from "../../cage/read/reader.ts";

/** Asks for a cage at an address before anything is sent there. */
export async function requireCage(reader: PublicClient, cage: Address): Promise<void> {
  await readConfig(reader, cage);
}
