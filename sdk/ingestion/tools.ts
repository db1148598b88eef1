import { z } from "zod";
import type { EventSink, GolemEvent } from "../events.ts";
import { type Channel, PROVENANCES, type QuarantinedEntry, type TrialledEntry, type ValidatedEntry } from "./entry.ts";
import { IngestionError } from "./errors.ts";
import type { Quarantine, Receipt } from "./quarantine/quarantine.ts";
import type { KnowledgeStore } from "./store/open.ts";

/** Profiles that hand out ingestion tools. */
const PROFILES: readonly string[] = ["grimoire", "marketplace", "full"];
const MAX_REASON_LENGTH = 300;

/** Something an agent may call: `parameters` is JSON Schema, and `run` checks its arguments against it. */
export type Tool = {
  name: string;
  description: string;
  parameters: object;
  run(args: unknown): Promise<unknown>;
};

export type IngestionToolParts = { store: KnowledgeStore; quarantine: Quarantine; emit?: EventSink };

const channel = z.object({
  provenance: z.enum(PROVENANCES).describe("How the entries came here"),
  listingId: z.string().max(200).optional(),
  cladeId: z.string().max(200).optional(),
  batchId: z.string().max(200).optional(),
  generation: z
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .describe("Generations between author and receiver; inheritance only"),
  onChainAnchor: z
    .string()
    .regex(/^0x[0-9a-f]{64}$/)
    .optional()
    .describe("Transaction hash of the purchase"),
});

const quarantineArguments = channel.extend({ entries: z.array(z.unknown()).min(1).max(1_000) });
const rejectArguments = z.object({ entryId: z.uuid(), reason: z.string().trim().min(1).max(MAX_REASON_LENGTH) });

/** The tools of stage one for a profile; none for a profile that does not ingest. */
export function quarantineTools(profile: string, parts: IngestionToolParts): Tool[] {
  return PROFILES.includes(profile) ? [quarantineEntries(parts), rejectEntry(parts)] : [];
}

function quarantineEntries({ quarantine }: IngestionToolParts): Tool {
  return {
    name: "quarantine_entries",
    description:
      "Receives knowledge from outside into quarantine, after checking who signed it. Nothing is used before it is validated.",
    parameters: z.toJSONSchema(quarantineArguments),
    async run(args) {
      const { entries, ...rest } = parse(quarantineArguments, args);

      return { receipts: await quarantine.receive(entries, rest as Channel) };
    },
  };
}

function rejectEntry({ store, emit }: IngestionToolParts): Tool {
  return {
    name: "reject_entry",
    description: "Rejects an entry that is under way, and remembers its content and pattern as bad.",
    parameters: z.toJSONSchema(rejectArguments),
    async run(args) {
      const { entryId, reason } = parse(rejectArguments, args);
      const entry = store.entries.get(entryId);
      if (entry === undefined) throw new IngestionError("EntryUnknown", `There is no entry ${entryId}.`);
      if (entry.stage !== "quarantined" && entry.stage !== "validated" && entry.stage !== "trialled") {
        throw new IngestionError(
          "StageConflict",
          `Entry ${entryId} is ${entry.stage}: only entries under way can be rejected.`,
        );
      }

      const underWay = entry as QuarantinedEntry | ValidatedEntry | TrialledEntry;
      await store.entries.reject(underWay, { code: "RejectedByOwner", detail: reason });
      emit?.({ type: "GrimoireValidationFailed", entryId, failedLayer: "owner", reason: "RejectedByOwner" });
      return { entryId, stage: "rejected" };
    },
  };
}

/** Puts what a purchase brought into quarantine; other events pass. */
export async function quarantinePurchase(quarantine: Quarantine, event: GolemEvent): Promise<Receipt[]> {
  if (event.type !== "PurchaseCompleted") return [];
  const { listingId, transactionHash, entries } = event;

  return quarantine.receive(entries, {
    provenance: "purchased",
    listingId,
    batchId: listingId,
    onChainAnchor: transactionHash,
  });
}

function parse<T>(schema: z.ZodType<T>, args: unknown): T {
  const result = schema.safeParse(args);
  if (result.success) return result.data;
  const [issue] = result.error.issues;

  throw new IngestionError(
    "EntryMalformed",
    `${issue?.path.join(".") || "arguments"}: ${issue?.message ?? "malformed"}.`,
  );
}
