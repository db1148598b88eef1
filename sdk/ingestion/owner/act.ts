import { createHash } from "node:crypto";
import type { Hex } from "viem";
import { z } from "zod";
import { IngestionError } from "../errors.ts";

/** What only the owner of a store's golem may do. */
export const OWNER_ACTS = ["approve", "reject", "evict", "adopt", "forget", "remember"] as const;
export type OwnerActName = (typeof OWNER_ACTS)[number];

/** What an owner signs: one act, on one thing, in one store, once. */
export type OwnerAct = {
  act: OwnerActName;
  /** The store's own number, which no other store has. */
  storeId: Hex;
  /** SHA-256 of what is acted on: the entries with their contents, or the texts. */
  subject: Hex;
  /** 32 bytes that were never used before. */
  nonce: Hex;
  /** Unix seconds after which the signature is worth nothing. */
  deadline: number;
};

export type SignedAct = OwnerAct & { signature: Hex };

/** Longest time from now that an act may be signed for: a multisig's owners need days, not weeks. */
export const MAX_DEADLINE_SECONDS = 7 * 24 * 60 * 60;
const MAX_SIGNATURE_BYTES = 4_096;

const bytes32 = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/)
  .transform((text) => text as Hex);
const wire = z.strictObject({
  act: z.enum(OWNER_ACTS),
  storeId: bytes32,
  subject: bytes32,
  nonce: bytes32,
  deadline: z
    .int()
    .min(0)
    .max(2 ** 40),
  signature: z
    .string()
    .max(2 + 2 * MAX_SIGNATURE_BYTES)
    .regex(/^0x([0-9a-f]{2})+$/i)
    .transform((text) => text.toLowerCase() as Hex),
});

/** The EIP-712 message of an act. `chainId`: of the chain on which the owner is named. */
export function ownerActMessage({ act, storeId, subject, nonce, deadline }: OwnerAct, chainId: number) {
  return {
    domain: { name: "PolicyCage Owner", version: "1", chainId },
    types: {
      OwnerAct: [
        { name: "act", type: "string" },
        { name: "store", type: "bytes32" },
        { name: "subject", type: "bytes32" },
        { name: "nonce", type: "bytes32" },
        { name: "deadline", type: "uint64" },
      ],
    },
    primaryType: "OwnerAct",
    message: { act, store: storeId, subject, nonce, deadline: BigInt(deadline) },
  } as const;
}

/** Reads a signed act as JSON has it. Throws `OWNER_ACT_REFUSED`. */
export function parseSignedAct(input: unknown): SignedAct {
  const result = wire.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;

  throw new IngestionError("OWNER_ACT_REFUSED", `${issue?.path.join(".") || "The signed act"} is malformed.`);
}

/** The digest that stands for what is acted on; `subject` is JSON. */
export function subjectOf(subject: unknown): Hex {
  return `0x${createHash("sha256").update(JSON.stringify(subject)).digest("hex")}`;
}
