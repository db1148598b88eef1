import { type Hex, type PublicClient, parseEventLogs, type TransactionReceipt } from "viem";
import { policyCageAbi } from "../abi/generated/policy-cage.ts";
import { type CageError, decodeCageError } from "./errors.ts";
import { revertOf } from "./send.ts";

/** What became of a transaction. A refusal that `attempt` recorded is "recorded": the transaction itself went through. */
export type Explanation =
  | { outcome: "executed"; receipt: TransactionReceipt }
  | { outcome: "refused"; receipt: TransactionReceipt; error: CageError }
  | { outcome: "recorded"; receipt: TransactionReceipt; error: CageError }
  /** It failed, and runs through on the state before and after its block: what it met inside the block is gone. */
  | { outcome: "lost"; receipt: TransactionReceipt };

/** `CageViolation` names the rule by its selector, and two numbers for rules that have them. */
function violationError(violationType: Hex, attempted: bigint, limit: bigint): CageError {
  const selector = violationType.slice(0, 10);
  const words = [attempted, limit].map((value) => value.toString(16).padStart(64, "0"));

  return decodeCageError(`${selector}${words.join("")}` as Hex);
}

/** Says what a mined transaction did, or which rule refused it. */
export async function explainTransaction(reader: PublicClient, hash: Hex): Promise<Explanation> {
  const receipt = await reader.getTransactionReceipt({ hash });
  if (receipt.status === "reverted") {
    const data = await revertOf(reader, receipt);

    return data === undefined
      ? { outcome: "lost", receipt }
      : { outcome: "refused", receipt, error: decodeCageError(data) };
  }
  const [violation] = parseEventLogs({ abi: policyCageAbi, eventName: "CageViolation", logs: receipt.logs });
  if (violation === undefined) return { outcome: "executed", receipt };
  const { violationType, attemptedValue, limit } = violation.args;

  return { outcome: "recorded", receipt, error: violationError(violationType, attemptedValue, limit) };
}
