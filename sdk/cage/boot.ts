import type { Address, Hex, PublicClient } from "viem";
import type { Constitution } from "../policy/constitution.ts";
import { Policy } from "../policy/policy.ts";
import { readConfig } from "./reader.ts";

type Parameter = Constitution["parameters"][string];

/** A rule that differs: its name, and both values as JSON. A row of a list that one side lacks is "absent" there. */
export type FieldDifference = { field: string; local: string; chain: string };

/** The cage enforces other rules than the golem was started with. Nothing may start. */
export class ConstitutionMismatchError extends Error {
  override readonly name = "ConstitutionMismatchError";
  readonly code = "CONSTITUTION_MISMATCH";
  readonly expected: Hex;
  readonly actual: Hex;
  readonly fields: readonly FieldDifference[];

  constructor({ expected, actual, fields }: { expected: Hex; actual: Hex; fields: readonly FieldDifference[] }) {
    const lines = fields.map(({ field, local, chain }) => `  ${field}: ${local} here, ${chain} on the chain`);
    super(
      [
        `The cage's constitution is ${actual}, not ${expected}.`,
        ...lines,
        "Read the policy of the cage anew and start with that.",
      ].join("\n"),
    );
    this.expected = expected;
    this.actual = actual;
    this.fields = fields;
  }
}

/** The rules of a deployed cage, as the `Policy` it was deployed from. */
export async function readPolicy(reader: PublicClient, cage: Address, blockNumber?: bigint): Promise<Policy> {
  const { config } = await readConfig(reader, cage, blockNumber);

  return Policy.fromConfig(config);
}

function rowKey(row: Parameter): string {
  const { asset, protocol, selector } = row as { asset?: string; protocol?: string; selector?: string };

  return asset ?? (protocol === undefined ? JSON.stringify(row) : `${protocol} ${selector}`);
}

function isRecord(value: Parameter | undefined): value is { readonly [key: string]: Parameter } {
  return typeof value === "object" && !Array.isArray(value);
}

function show(value: Parameter | undefined): string {
  return value === undefined ? "absent" : JSON.stringify(value);
}

/** Where two values of one field differ, down to the rows of a list and their fields. */
function differences(field: string, local: Parameter | undefined, chain: Parameter | undefined): FieldDifference[] {
  if (Array.isArray(local) && Array.isArray(chain)) {
    const rowsOf = (list: readonly Parameter[]) => new Map(list.map((row) => [rowKey(row), row]));
    const [here, there] = [rowsOf(local), rowsOf(chain)];

    return [...new Set([...here.keys(), ...there.keys()])].flatMap((key) =>
      differences(`${field}[${key}]`, here.get(key), there.get(key)),
    );
  }
  if (isRecord(local) && isRecord(chain)) {
    return Object.keys(local).flatMap((key) => differences(`${field}.${key}`, local[key], chain[key]));
  }

  return show(local) === show(chain) ? [] : [{ field, local: show(local), chain: show(chain) }];
}

/** The rules in which two policies differ, by field. */
export function policyDifferences(local: Policy, chain: Policy): FieldDifference[] {
  const [here, there] = [local.toConstitution().parameters, chain.toConstitution().parameters];

  return Object.keys(here).flatMap((field) => differences(field, here[field], there[field]));
}

/**
 * The check a golem makes before it starts: the cage must enforce exactly `policy`.
 * @throws {ConstitutionMismatchError} with the fields that differ.
 * @throws {NoCageError} when there is no cage.
 */
export async function verifyConstitution(
  policy: Policy,
  { reader, cage, blockNumber }: { reader: PublicClient; cage: Address; blockNumber?: bigint },
): Promise<void> {
  const { config, constitutionHash: actual } = await readConfig(reader, cage, blockNumber);
  const { hash: expected } = policy.toConstitution();
  if (actual === expected) return;
  const fields = policyDifferences(policy, Policy.fromConfig(config));
  // Same parameters, other hash: the cage was made for other principles.
  const principles = { field: "principlesHash", local: "those of this version", chain: "others" };

  throw new ConstitutionMismatchError({ expected, actual, fields: fields.length > 0 ? fields : [principles] });
}
