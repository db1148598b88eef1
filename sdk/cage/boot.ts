import type { Address, Hex } from "viem";
import type { Reader } from "../core/clients.ts";
import { PolicyCageError } from "../core/errors.ts";
import { compareConfigs } from "../policy/change/compare.ts";
import { Policy } from "../policy/model/policy.ts";
import { readConfig } from "./read/reader.ts";

/** A rule that differs: its name, and both values as a person reads them. What one side lacks is "absent" there. */
export type FieldDifference = { field: string; local: string; chain: string };

/** The cage enforces other rules than the golem was started with. Nothing may start. */
export class ConstitutionMismatchError extends PolicyCageError {
  override readonly name = "ConstitutionMismatchError";
  readonly expected: Hex;
  readonly actual: Hex;
  readonly fields: readonly FieldDifference[];

  constructor({ expected, actual, fields }: { expected: Hex; actual: Hex; fields: readonly FieldDifference[] }) {
    const lines = fields.map(({ field, local, chain }) => `  ${field}: ${local} here, ${chain} on the chain`);
    super([`The cage's constitution is ${actual}, not ${expected}.`, ...lines].join("\n"), {
      code: "CONSTITUTION_MISMATCH",
      advice: "Read the policy of the cage anew and start with that.",
    });
    this.expected = expected;
    this.actual = actual;
    this.fields = fields;
  }
}

/** The rules of a deployed cage, as the `Policy` it was deployed from. */
export async function readPolicy(reader: Reader, cage: Address, blockNumber?: bigint): Promise<Policy> {
  const { config } = await readConfig(reader, cage, blockNumber);

  return Policy.fromConfig(config);
}

/**
 * The check a golem makes before it starts: the cage must enforce exactly `policy`.
 * @throws {ConstitutionMismatchError} with the fields that differ.
 * @throws {NoCageError} when there is no cage.
 */
export async function verifyConstitution(
  policy: Policy,
  { reader, cage, blockNumber }: { reader: Reader; cage: Address; blockNumber?: bigint },
): Promise<void> {
  const { config, constitutionHash: actual } = await readConfig(reader, cage, blockNumber);
  const { hash: expected } = policy.toConstitution();
  if (actual === expected) return;
  const fields = compareConfigs(policy.toPolicyCageConfig(), config).map(({ field, from, to }) => ({
    field,
    local: from ?? "absent",
    chain: to ?? "absent",
  }));
  // Same parameters, other hash: the cage was made for other principles.
  const principles = { field: "principlesHash", local: "those of this version", chain: "others" };

  throw new ConstitutionMismatchError({ expected, actual, fields: fields.length > 0 ? fields : [principles] });
}
