import { toFunctionSelector } from "viem";
import { read, write } from "./files.ts";

type Call = { call: string };
type Sources = { debt: Call[]; falseFriends: Call[] };

const bySelector = (calls: Call[]) => calls.map(({ call }) => [toFunctionSelector(call), call]).sort();

/** Calls that open debt, for the contracts and the SDK, from the file that says where each was read. */
export function generateDebt(): void {
  const { debt, falseFriends } = JSON.parse(read("contracts/debt-selectors.sources.json")) as Sources;
  const signatures = debt.map(({ call }) => call).sort();

  write("contracts/debt-selectors.json", `${JSON.stringify(signatures, null, 2)}\n`);
  write(
    "sdk/policy/generated/debt.ts",
    `// Written by \`npm run generate\`.

/** Calls that open debt, and executors that may hide one, by selector: \`contracts/debt-selectors.json\`. */
export const debtSelectors: ReadonlyMap<string, string> = new Map(${JSON.stringify(bySelector(debt), null, 2)});

/** Calls that open debt with one protocol and are harmless with others: no cage refuses them. */
export const debtFalseFriends: ReadonlyMap<string, string> = new Map(${JSON.stringify(bySelector(falseFriends), null, 2)});
`,
  );
}
