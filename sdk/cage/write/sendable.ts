import type { Address } from "viem";
import type { Reader } from "../../core/clients.ts";
import type { Policy } from "../../policy/model/policy.ts";
import { planOnChain } from "./apply.ts";
import { type ChainCall, cageCall } from "./calls.ts";

/** What an owner can send of a plan now: every submission that is missing, and the first change when it has matured. */
export async function sendableNow(reader: Reader, cage: Address, next: Policy): Promise<ChainCall[]> {
  const { steps, pending, timestamp } = await planOnChain(reader, cage, next);
  const submissions = steps
    .filter(({ delay, call }) => delay > 0n && !pending.has(call))
    .map(({ call }) => cageCall(cage, "submit", [call]));
  const [first] = steps;
  if (first === undefined) return [];
  const maturesAt = first.delay === 0n ? timestamp : pending.get(first.call);
  const isReady = maturesAt !== undefined && maturesAt <= timestamp;

  return [...submissions, ...(isReady ? [{ to: cage, data: first.call, value: 0n }] : [])];
}
