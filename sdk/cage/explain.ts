import type { Hex, PublicClient, TransactionReceipt } from "viem";
import { concatHex, formatAbiItem, parseEventLogs, slice, toFunctionSelector, toHex } from "viem/utils";
import { policyCageAbi } from "../abi/generated/policy-cage.ts";
import { CageError, decodeCageError } from "./errors.ts";
import { revertOf } from "./send.ts";

/** What became of a transaction. A refusal that `attempt` recorded is "recorded": the transaction itself went through. */
export type Explanation =
  | { outcome: "executed"; receipt: TransactionReceipt }
  | { outcome: "refused"; receipt: TransactionReceipt; error: CageError }
  | { outcome: "recorded"; receipt: TransactionReceipt; error: CageError }
  /** It failed, and runs through on the state before and after its block: what it met inside the block is gone. */
  | { outcome: "lost"; receipt: TransactionReceipt };

/** A record names the rule by its selector, and holds two numbers for rules that have exactly those. */
function violationError(violationType: Hex, attempted: bigint, limit: bigint): CageError {
  const selector = slice(violationType, 0, 4);
  const rule = policyCageAbi.find(
    (item) => item.type === "error" && toFunctionSelector(formatAbiItem(item)) === selector,
  );
  const types = rule?.type === "error" ? rule.inputs.map(({ type }) => type) : [];
  if (types.length === 2 && types.every((type) => type === "uint256")) {
    return decodeCageError(concatHex([selector, toHex(attempted, { size: 32 }), toHex(limit, { size: 32 })]));
  }
  const code = rule?.type === "error" ? rule.name : selector;

  return new CageError(`The rule ${code} refused the execution; the record holds no more.`, {
    code,
    args: [],
    advice: "Call `execute` instead of `attempt` in a simulation to see the details.",
    data: selector,
  });
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
