import type { EntrySource, EntryType, LayerName, Partition, RejectionCode } from "./knowledge.ts";

/** Where an entry failed: a layer of stage two, or what stands before and after it. */
type FailedLayer =
  | LayerName
  | "confidence"
  | "provenance"
  | "injection"
  | "quota"
  | "expiry"
  | "batch"
  | "clade"
  | "sandbox"
  | "owner"
  | "agent";

/**
 * Everything a golem reports about itself, told apart by `type`. Names and payloads are the specification's; a module adds its own
 * members here. Payloads carry no content and no secrets.
 */
export type GolemEvent =
  | { type: "PurchaseCompleted"; listingId: string; transactionHash: `0x${string}`; entries: readonly unknown[] }
  | { type: "GrimoireEntryQuarantined"; entryId: string; source: EntrySource; entryType: EntryType }
  | { type: "GrimoireValidationPassed"; entryId: string; layersPassed: readonly LayerName[]; score: number }
  | {
      type: "GrimoireValidationFailed";
      entryId: string;
      failedLayer: FailedLayer;
      reason: RejectionCode;
    }
  | { type: "GrimoireEntryAdopted"; entryId: string; initialConfidence: number; partition: Partition }
  | { type: "GrimoireCausalRollback"; sourceAgent: bigint; entriesQuarantined: number; reason: string }
  | { type: "GrimoireImmuneMatch"; entryId: string; immuneSignatureHash: string };

/** Receives events; must not throw, and its time is the caller's. */
export type EventSink = (event: GolemEvent) => void;
