import type {
  AdoptedEntry,
  Entry,
  QuarantinedEntry,
  Stage,
  Submission,
  TrialledEntry,
  ValidatedEntry,
} from "../../../../sdk/ingestion/entry.ts";
import { Quarantine } from "../../../../sdk/ingestion/quarantine/quarantine.ts";
import type { KnowledgeStore } from "../../../../sdk/ingestion/store/open.ts";
import { cleanScreen, memoryRegistry, wire } from "./agents.ts";

const PASSED = { outcome: "passed", strictness: "strict", votes: [], score: 1, reason: "as told" } as const;

/** Where the entry with this text is to end; the first letter of the text says it. */
const GOALS: Record<string, Stage> = { a: "adopted", b: "rejected", c: "rolled_back", d: "quarantined", e: "trialled" };

export function goalOf(entry: Entry): Stage {
  return GOALS[entry.content.charAt(0)] ?? "rejected";
}

export type Acknowledge = (id: string, stage: Stage) => void;

/** Sends entries into quarantine and takes each to its goal, from wherever it is: what a golem does before and after a crash. */
export async function work(store: KnowledgeStore, submissions: readonly Submission[], acknowledge: Acknowledge) {
  const quarantine = new Quarantine({ store, registries: [memoryRegistry()], injection: cleanScreen });
  const receipts = await quarantine.receive(submissions.map(wire), { provenance: "purchased" });
  for (const receipt of receipts) {
    if (receipt.outcome === "quarantined") acknowledge(receipt.entryId, "quarantined");
    if (receipt.outcome === "rejected") acknowledge(receipt.entryId, "rejected");
  }
  await finish(store, acknowledge);
}

/** Takes every entry that is under way one stage after the other to its goal. */
export async function finish({ entries }: KnowledgeStore, acknowledge: Acknowledge): Promise<void> {
  for (const stage of ["quarantined", "validated", "trialled", "adopted"] as const) {
    for (const entry of entries.list({ stage, limit: 1_000 })) {
      let current: Entry | undefined = entry;
      while (current !== undefined) {
        current = await advance(entries, current);
        if (current !== undefined) acknowledge(current.id, current.stage);
      }
    }
  }
}

async function advance(entries: KnowledgeStore["entries"], entry: Entry): Promise<Entry | undefined> {
  const goal = goalOf(entry);
  if (entry.stage === goal) return undefined;
  if (entry.stage === "quarantined") {
    return goal === "rejected"
      ? entries.reject(entry as QuarantinedEntry, { code: "ConsensusDivergence", detail: "It contradicts the rest." })
      : entries.validate(entry as QuarantinedEntry, PASSED);
  }
  if (entry.stage === "validated") return entries.trial(entry as ValidatedEntry);
  if (entry.stage === "trialled") return entries.adopt(entry as TrialledEntry, 0.1);

  return entries.rollBack(entry as AdoptedEntry, "It cost money.");
}
