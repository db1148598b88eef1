import { decodeFunctionData, type Hex } from "viem";
import { cagedAccountAbi } from "../../../../sdk/abi/index.ts";
import type { PrivyPolicy } from "../../../../sdk/index.ts";

type Condition = PrivyPolicy["rules"][number]["conditions"][number];

export type Request = { method: string; chainId: number; to: string; value: bigint; data: Hex; timestamp: bigint };

/**
 * Privy's engine as its documentation tells it: a rule applies to its method when all of its conditions hold; what no rule allows is
 * denied. A model, for what the documents mean: it proves nothing about Privy.
 */
export function isSigned(policy: PrivyPolicy, request: Request): boolean {
  return policy.rules.some(
    ({ method, conditions }) => method === request.method && conditions.every((condition) => holds(condition, request)),
  );
}

function holds(condition: Condition, request: Request): boolean {
  const actual = read(condition, request);
  if (actual === undefined) return false;
  const { operator, value } = condition;
  const values = Array.isArray(value) ? value : [value];
  if (operator === "lte") return BigInt(actual) <= BigInt(String(value));
  if (operator === "eq" && Array.isArray(value)) return false;

  return values.some((one) => one.toLowerCase() === actual.toLowerCase());
}

function read(condition: Condition, request: Request): string | undefined {
  if (condition.field_source === "system") return String(request.timestamp);
  if (condition.field_source === "ethereum_transaction") {
    return { to: request.to, value: String(request.value), chain_id: String(request.chainId) }[condition.field];
  }

  return readCalldata(condition.field, condition.abi, request.data);
}

function readCalldata(field: string, abi: { name: string }[], data: Hex): string | undefined {
  try {
    const { functionName, args } = decodeFunctionData({ abi: cagedAccountAbi, data });
    if (!abi.some(({ name }) => name === functionName)) return undefined;
    if (field === "function_name") return functionName;
    const [name, parameter] = field.split(".");
    const item = cagedAccountAbi
      .filter((entry) => entry.type === "function")
      .find((entry) => entry.name === functionName);
    const index = item?.inputs.map((input) => String(input.name)).indexOf(parameter ?? "") ?? -1;
    const value: unknown = args?.[index];

    return name === functionName && value !== undefined ? String(value) : undefined;
  } catch {
    return undefined;
  }
}
