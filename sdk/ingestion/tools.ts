import { z } from "zod";
import type { EventSink, GolemEvent } from "../events.ts";
import type { QuarantinedEntry, TrialledEntry, ValidatedEntry } from "./entry.ts";
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

export type IngestionToolParts = {
  store: KnowledgeStore;
  quarantine: Quarantine;
  /** How everything comes that the agent hands in: told by the host, since the channel decides how far an entry is trusted. */
  channel: ToolChannel;
  emit?: EventSink;
};

/** What an agent hands in may be anyone's words, so it comes by the channels that are trusted least. */
const toolChannel = z.strictObject({
  provenance: z.enum(["archive", "commons"]),
  batchId: z.string().max(200).optional(),
});
type ToolChannel = { provenance: "archive" | "commons"; batchId?: string };

const quarantineArguments = z.strictObject({ entries: z.array(z.unknown()).min(1).max(1_000) });
const rejectArguments = z.object({ entryId: z.uuid(), reason: z.string().trim().min(1).max(MAX_REASON_LENGTH) });

/** The tools of stage one for a profile; none for a profile that does not ingest. Throws `EntryMalformed` for any other channel. */
export function quarantineTools(profile: string, parts: IngestionToolParts): Tool[] {
  parse(toolChannel, parts.channel);

  return PROFILES.includes(profile) ? [quarantineEntries(parts), rejectEntry(parts)] : [];
}

function quarantineEntries({ quarantine, channel }: IngestionToolParts): Tool {
  return {
    name: "quarantine_entries",
    description:
      "Receives knowledge from outside into quarantine, after checking who signed it. Nothing is used before it is validated.",
    parameters: z.toJSONSchema(quarantineArguments),
    async run(args) {
      const { entries } = parse(quarantineArguments, args);

      return { receipts: await quarantine.receive(entries, channel) };
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
