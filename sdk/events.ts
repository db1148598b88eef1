import type { EntrySource, EntryType, FailureCategory, LayerName, Partition } from "./ingestion/entry.ts";

/**
 * Everything a golem reports about itself, told apart by `type`. Names and payloads are the specification's; a module adds its own
 * members here. Payloads carry no content and no secrets.
 */
export type GolemEvent =
  | { type: "PurchaseCompleted"; listingId: string; sellerAgentId: bigint; entries: readonly unknown[] }
  | { type: "GrimoireEntryQuarantined"; entryId: string; source: EntrySource; entryType: EntryType }
  | { type: "GrimoireEntryRejected"; entryId: string; code: string }
  | { type: "GrimoireValidationPassed"; entryId: string; layersPassed: readonly LayerName[]; score: number }
  | {
      type: "GrimoireValidationFailed";
      entryId: string;
      failedLayer: LayerName | "provenance" | "injection";
      reason: FailureCategory | (string & {});
    }
  | { type: "GrimoireEntryAdopted"; entryId: string; initialConfidence: number; partition: Partition }
  | { type: "GrimoireCausalRollback"; sourceAgent: bigint; entriesQuarantined: number; reason: string }
  | { type: "GrimoireImmuneMatch"; entryId: string; immuneSignatureHash: string };

/** Receives events; must not throw, and its time is the caller's. */
export type EventSink = (event: GolemEvent) => void;
