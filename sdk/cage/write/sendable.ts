import type { Address } from "viem";
import type { Reader } from "../../core/clients.ts";
import type { Policy } from "../../policy/model/policy.ts";
import { missingSubmissions, nextSteps, planOnChain } from "./apply.ts";
import type { ChainCall } from "./calls.ts";

/**
 * What an owner can send of a plan now, in this order: every submission that is missing, and what runs next when it has matured. What lies
 * between `emergencyHalt` and `resume` comes together: a multisig that sends it as one batch is never halted to anybody's eyes.
 */
export async function sendableNow(reader: Reader, cage: Address, next: Policy): Promise<ChainCall[]> {
  const plan = await planOnChain(reader, cage, next);
  const { next: steps, maturesAt } = nextSteps(plan);
  const isReady = maturesAt !== undefined && maturesAt <= plan.timestamp;
  const calls = [
    ...missingSubmissions(plan).flatMap(({ calls: submissions }) => submissions),
    ...(isReady ? steps.map(({ call }) => call) : []),
  ];

  return calls.map((data) => ({ to: cage, data, value: 0n }));
}
