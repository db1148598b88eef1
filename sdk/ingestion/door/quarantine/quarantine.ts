import {
  type Channel,
  contentHash,
  type Entry,
  type QuarantinedEntry,
  type Rejection,
  type ReviewFlag,
  type Submission,
} from "../../entry.ts";
import { IngestionError } from "../../errors.ts";
import type { RegistryReader } from "../../ports.ts";
import type { ImmuneMatch } from "../../store/immune/memory.ts";
import { holdToShare, makeRoom } from "../../store/room/quotas.ts";
import { forgetRefusals, prune } from "../../store/room/retention.ts";
import { examine, type QuarantineParts, type Refused, remembering, type Seen, screen } from "./examine.ts";
import { verifyProvenance } from "./provenance.ts";
import { parseSubmission } from "./submission.ts";

export const MAX_BATCH = 1_000;

/** What became of one submission, in the order they came. */
export type Receipt =
  | { outcome: "quarantined"; entryId: string; flags: readonly ReviewFlag[]; isConfirmed: boolean }
  | { outcome: "rejected"; entryId: string; rejection: Rejection }
  | { outcome: "malformed"; code: string; sentence: string };

/** Stage one: everything from outside lands here, signed or not at all. */
export class Quarantine {
  readonly #parts: QuarantineParts;

  constructor(parts: QuarantineParts) {
    this.#parts = parts;
  }

  /**
   * Takes in what arrived over one channel. Each submission is quarantined, recorded as rejected, or answered as malformed; the whole batch
   * is one transaction, of which `also` is a part. Throws `BATCH_TOO_LARGE` and what the ports throw; then nothing was taken in.
   */
  async receive(inputs: readonly unknown[], channel: Channel, also: () => void = () => {}): Promise<Receipt[]> {
    if (inputs.length > MAX_BATCH) {
      throw new IngestionError(
        "BATCH_TOO_LARGE",
        `${inputs.length} entries arrived at once, at most ${MAX_BATCH} are taken.`,
      );
    }
    const parsed = inputs.map(read);
    const submissions = parsed.filter((item) => "content" in item);
    const examined = await examine(submissions, channel, this.#parts);

    const { database, outbox } = this.#parts.store;
    const stored = database.transaction(() => {
      const receipts = examined.map((item) => this.#store(item, channel));
      forgetRefusals(database);
      also();

      return receipts;
    });
    await outbox.settle();
    this.#report(stored);

    let next = 0;

    return parsed
      .map((item) => ("content" in item ? stored[next++]?.receipt : item))
      .filter((item) => item !== undefined);
  }

  /** Asks again for entries whose author could not be confirmed or whose text could not be screened. Returns how many are settled. */
  async retry(): Promise<number> {
    const waiting = this.#parts.store.entries
      .list({ stage: "quarantined", limit: MAX_BATCH })
      .filter((entry) => entry.provenanceState === "unconfirmed" || entry.flags.includes("injection_unscreened"));
    const registries = this.#parts.registries.map(remembering);
    let settled = 0;
    for (const entry of waiting) {
      try {
        if (await this.#askAgain(entry as QuarantinedEntry, registries)) settled += 1;
      } catch (error) {
        // Evicted while others were asked, which is no reason to ask for the rest another time.
        if (!(error instanceof IngestionError && error.code === "STAGE_CONFLICT")) throw error;
      }
    }
    await this.#parts.store.outbox.settle();

    return settled;
  }

  /** Forgets content that was decided long ago; see `retention.ts`. */
  async prune(): Promise<number> {
    const { store } = this.#parts;
    const pruned = prune(store, store.clock.now());
    await store.outbox.settle();

    return pruned;
  }

  /** Inside the transaction of the batch. */
  #store(item: Seen | Refused, channel: Channel): { receipt: Receipt; entry: Entry; immune?: ImmuneMatch } {
    const { entries } = this.#parts.store;
    const { submission } = item;
    const refused = "rejection" in item ? item.rejection : this.#admissionRefusal(submission, item.provenance.outcome);
    if (refused !== undefined) {
      const entry = entries.insertRefused(submission, channel, refused);

      return { entry, receipt: { outcome: "rejected", entryId: entry.id, rejection: refused } };
    }

    const { provenance, screened, flags, immune } = item as Seen;
    const provenanceState = provenance.outcome;
    const allFlags = this.#isElsewhere(submission) ? [...flags, "duplicate_content" as const] : flags;
    const draft = { submission, channel, provenanceState, flags: allFlags, vector: (item as Seen).vector };
    const entry = entries.insert(draft);
    if (screened.outcome === "blocked") {
      const rejection: Rejection = { code: "ContentInjection", detail: screened.reason };
      // An unconfirmed sender must not be able to teach that someone else's text is bad.
      const rejected = entries.rejectNow(
        entry,
        rejection,
        provenanceState === "verified" ? { vector: draft.vector } : {},
      );

      return { entry: rejected, receipt: { outcome: "rejected", entryId: entry.id, rejection } };
    }

    const isConfirmed = provenanceState === "verified";
    const receipt: Receipt = { outcome: "quarantined", entryId: entry.id, flags: allFlags, isConfirmed };

    return { entry, receipt, ...(immune && { immune }) };
  }

  /** Replay, repetition and lack of room, which only the store can tell. Claims the nonce of a verified entry. */
  #admissionRefusal(submission: Submission, outcome: "verified" | "unconfirmed"): Rejection | undefined {
    const { database } = this.#parts.store;
    const { agentId, chainId } = submission.signed;
    if (!this.#takeNonce(submission, outcome === "verified")) {
      return { code: "NonceReplayed", detail: `Agent ${agentId} of chain ${chainId} has used this nonce before.` };
    }
    const isRepeated = database.get(
      `SELECT 1 FROM entries WHERE content_hash = ? AND chain_id = ? AND agent_id = ? AND provenance_state = ?
         AND stage != 'rejected'`,
      contentHash(submission.content),
      chainId,
      agentId.toString(),
      outcome,
    );
    if (isRepeated !== undefined) {
      return { code: "DuplicateEntry", detail: `Agent ${agentId} of chain ${chainId} has sent this content before.` };
    }

    return makeRoom(this.#parts.store, submission.signed, outcome);
  }

  /** Whether the nonce is unused; `claim` uses it. Only confirmed authors use up nonces, or anyone could use up another's. */
  #takeNonce({ signed }: Submission, claim: boolean): boolean {
    const { database } = this.#parts.store;
    const key = [signed.chainId, signed.agentId.toString(), signed.nonce.toString()] as const;
    if (claim) {
      return database.run("INSERT INTO nonces VALUES (?, ?, ?) ON CONFLICT DO NOTHING", ...key) === 1;
    }

    return database.get("SELECT 1 FROM nonces WHERE chain_id = ? AND agent_id = ? AND nonce = ?", ...key) === undefined;
  }

  /** Whether another author's entry has the same content: it counts for nothing, but it is no reason to refuse. */
  #isElsewhere({ content }: Submission): boolean {
    const { database } = this.#parts.store;

    return (
      database.get("SELECT 1 FROM entries WHERE content_hash = ? AND stage != 'rejected'", contentHash(content)) !==
      undefined
    );
  }

  async #askAgain(entry: QuarantinedEntry, registries: readonly RegistryReader[]): Promise<boolean> {
    const { store, injection } = this.#parts;
    const submission: Submission = { content: entry.content, entryType: entry.entryType, signed: entry.source };
    const isUnconfirmed = entry.provenanceState === "unconfirmed";
    const receivedAt = Math.floor(entry.quarantinedAt / 1_000);
    const verdict = isUnconfirmed ? await verifyProvenance(submission, { registries, receivedAt }) : undefined;
    const screened = entry.flags.includes("injection_unscreened") ? await screen(injection, entry.content) : undefined;
    const vector = await store.entries.vectorOf(entry);

    return store.database.transaction(() => {
      let current = entry;
      if (verdict?.outcome === "refused") {
        return this.#rejectLate(current, verdict.rejection);
      }
      if (verdict?.outcome === "verified") {
        if (!this.#takeNonce(submission, true)) {
          return this.#rejectLate(current, { code: "NonceReplayed", detail: "The nonce was used meanwhile." });
        }
        current = store.entries.confirm(current);
      }
      if (screened?.outcome === "blocked" && current.provenanceState === "verified") {
        return this.#rejectLate(current, { code: "ContentInjection", detail: screened.reason }, vector);
      }
      if (screened?.outcome === "clean" || screened?.outcome === "flagged") {
        const flags = entry.flags.filter((flag) => flag !== "injection_unscreened");
        current = store.entries.flag(current, screened.outcome === "clean" ? flags : [...flags, "injection_suspected"]);
      }

      if (verdict?.outcome === "verified") holdToShare(store, submission.signed);

      const isScreened = !current.flags.includes("injection_unscreened");

      return (
        (current.provenanceState === "verified" && isScreened) || store.entries.get(entry.id)?.stage === "rejected"
      );
    });
  }

  #rejectLate(entry: QuarantinedEntry, rejection: Rejection, vector?: Float32Array): true {
    this.#parts.store.entries.rejectNow(entry, rejection, { ...(vector && { vector }) });

    return true;
  }

  #report(stored: readonly { receipt: Receipt; entry: Entry; immune?: ImmuneMatch }[]): void {
    const { emit } = this.#parts;
    if (emit === undefined) return;
    for (const { receipt, entry, immune } of stored) {
      if (receipt.outcome === "quarantined") {
        emit({ type: "GrimoireEntryQuarantined", entryId: entry.id, source: entry.source, entryType: entry.entryType });
      } else if (receipt.outcome === "rejected") {
        emit({
          type: "GrimoireValidationFailed",
          entryId: entry.id,
          failedLayer: layerOf(receipt.rejection),
          reason: receipt.rejection.code,
        });
      }
      if (immune !== undefined) {
        emit({ type: "GrimoireImmuneMatch", entryId: entry.id, immuneSignatureHash: immune.signature });
      }
    }
  }
}

function layerOf({ code }: Rejection) {
  if (code === "ContentInjection") return "injection";

  return code === "Evicted" || code === "DuplicateEntry" ? "quota" : "provenance";
}

function read(input: unknown): Submission | Extract<Receipt, { outcome: "malformed" }> {
  try {
    return parseSubmission(input);
  } catch (error) {
    if (!(error instanceof IngestionError)) throw error;

    return { outcome: "malformed", code: error.code, sentence: error.message };
  }
}
