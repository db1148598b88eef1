import { type Abi, decodeErrorResult, type Hex, toFunctionSelector } from "viem";
import { abiOf } from "./artifacts.ts";

/** Why a transaction was undone: the custom error, its arguments in order, and the raw revert data. */
export type Refusal = { name: string; args: readonly unknown[]; data: Hex };

let known: Abi | undefined;

/** The errors of cage, account and test tokens, each once: cage and account share none that differ. */
function knownErrors(): Abi {
  known ??= [abiOf("PolicyCage"), abiOf("CagedAccount"), abiOf("MockERC20")]
    .flat()
    .filter(({ type }) => type === "error");

  return known;
}

/** Reads revert data. What no contract here declares is named by its selector. */
export function decodeRefusal(data: Hex): Refusal {
  try {
    const { errorName, args } = decodeErrorResult({ abi: knownErrors(), data });

    return { name: errorName, args: args ?? [], data };
  } catch {
    return { name: data.length >= 10 ? `unknown error ${data.slice(0, 10)}` : "no reason", args: [], data };
  }
}

/** What `CageViolation` records for an error: its selector, to the right padded with zeros. */
export function violationType(name: string): Hex {
  const item = knownErrors().find((entry) => entry.type === "error" && entry.name === name);
  if (item?.type !== "error") throw new Error(`No contract declares the error ${name}.`);
  const signature = `${name}(${item.inputs.map(({ type }) => type).join(",")})`;

  return `${toFunctionSelector(signature)}${"0".repeat(56)}`;
}
