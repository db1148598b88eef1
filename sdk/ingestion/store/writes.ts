import { randomUUID } from "node:crypto";
import { DAY_MS } from "../../core/units.ts";
import {
  type Channel,
  type Controller,
  canonicalHash,
  contentHash,
  type Entry,
  type EntrySource,
  meaningOf,
  type ProvenanceState,
  type Rejection,
  type ReviewFlag,
  type Signed,
  type Stage,
  type Submission,
  type Trial,
  type ValidationResult,
} from "../entry.ts";
import { IngestionError } from "../errors.ts";
import type { Clock } from "../ports.ts";
import type { Database } from "./database.ts";
import type { KnownBad } from "./immune/known-bad.ts";
import type { Lessons } from "./immune/lessons.ts";
import type { ImmuneMemory } from "./immune/memory.ts";
import { writeSource } from "./rows.ts";

export type WriteParts = {
  database: Database;
  knownBad: KnownBad;
  immuneMemory: ImmuneMemory;
  lessons: Lessons;
  clock: Clock;
};

/** How long what an agent rejected is remembered. */
const LOCAL_LESSON_MS = 30 * DAY_MS;

export type Move = { to: Stage; reason?: string; validation?: ValidationResult; trial?: Trial; rejection?: Rejection };

/** Writes a new entry, inside a transaction, and returns its id. A refused one is kept without its content. */
export function insertEntry(
  { database, clock, lessons }: WriteParts,
  submission: Submission,
  channel: Channel,
  found: {
    /** Given while it waited for room. */
    id?: string | undefined;
    stage: Stage;
    provenanceState: ProvenanceState;
    controller?: Controller | undefined;
    flags: readonly ReviewFlag[];
    rejection?: Rejection;
  },
): string {
  const { id = randomUUID() } = found;
  const now = clock.now();
  const { controller } = found;
  const source: EntrySource = { ...channel, ...submission.signed, ...(controller && { controller }) };
  const isRefused = found.stage === "rejected";
  database.run(
    `INSERT INTO entries (id, stage, content, entry_type, content_hash, canonical_hash, chain_id, agent_id, batch_id, source,
       provenance_state, flags, quarantined_at, changed_at, pruned_at, rejection)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    found.stage,
    isRefused ? "" : submission.content,
    submission.entryType,
    contentHash(submission.content),
    canonicalHash(submission.content),
    source.chainId,
    source.agentId.toString(),
    channel.batchId ?? null,
    writeSource(source),
    found.provenanceState,
    JSON.stringify(found.flags),
    now,
    now,
    isRefused ? now : null,
    found.rejection === undefined ? null : JSON.stringify(found.rejection),
  );
  note(database, { entryId: id, to: found.stage, at: now, reason: found.rejection?.code });
  if (found.rejection !== undefined) lessons.count(found.rejection.code);

  return id;
}

/** Writes one change of stage, inside a transaction. Throws `STAGE_CONFLICT` when the entry is not where it was read. */
export function moveEntry({ database, clock }: WriteParts, entry: Entry, move: Move): void {
  const { to, reason, validation, trial, rejection } = move;
  const now = clock.now();
  const changed = database.run(
    // What is rejected before anyone is known to have signed it never will be.
    `UPDATE entries SET stage = ?1, changed_at = ?2, validation = coalesce(?3, validation), rejection = ?4,
       trial = coalesce(?5, trial),
       provenance_state = iif(?1 = 'rejected' AND provenance_state = 'unconfirmed', 'refused', provenance_state)
     WHERE id = ?6 AND stage = ?7`,
    to,
    now,
    validation === undefined ? null : JSON.stringify(validation),
    rejection === undefined ? null : JSON.stringify(rejection),
    trial === undefined ? null : JSON.stringify(trial),
    entry.id,
    entry.stage,
  );
  if (changed !== 1) throw moved(entry);

  note(database, { entryId: entry.id, from: entry.stage, to, at: now, reason });
}

/** Gives a nonce back, inside a transaction: what left for want of room has not been decided, and may come again. */
export function releaseNonce(database: Database, { chainId, agentId, nonce }: Signed): void {
  database.run(
    "DELETE FROM nonces WHERE chain_id = ? AND agent_id = ? AND nonce = ?",
    chainId,
    agentId.toString(),
    nonce.toString(),
  );
}

/**
 * Remembers what a rejection or a rollback teaches, inside its transaction: a lesson always, the rest where there is a `vector`. `length`:
 * characters of the content, which may be gone by now.
 */
export function learnFrom(
  { knownBad, immuneMemory, lessons, clock }: WriteParts,
  entry: Entry,
  { code }: Rejection,
  { vector, length }: { vector?: Float32Array | undefined; length: number },
): void {
  const { teaches, attackType, isLocal = false } = meaningOf(code);
  const now = clock.now();
  const expiresAt = isLocal ? now + LOCAL_LESSON_MS : undefined;
  // Of what nobody is known to have signed, its sender decides what it says and of whom.
  if (teaches === "nothing" || entry.provenanceState !== "verified") {
    lessons.count(code);
    return;
  }
  lessons.learn(entry, code, { vector, expiresAt });
  if (vector === undefined) return;
  if (teaches === "content") knownBad.learn(entry.canonicalHash, vector, now, expiresAt);
  if (attackType === undefined) return;

  const { confidenceBps, provenance } = entry.source;
  const appearance = { entryType: entry.entryType, provenance, confidenceBps, length, vector };
  immuneMemory.learn(appearance, attackType, { author: entry.source, at: now, expiresAt });
}

export function moved(entry: Entry): IngestionError {
  return new IngestionError("STAGE_CONFLICT", `Entry ${entry.id} is no longer ${entry.stage}.`);
}

type Step = { entryId: string; from?: Stage; to: Stage; at: number; reason: string | undefined };

function note(database: Database, { entryId, from, to, at, reason }: Step): void {
  database.run(
    "INSERT INTO transitions (entry_id, from_stage, to_stage, at, reason) VALUES (?, ?, ?, ?, ?)",
    entryId,
    from ?? null,
    to,
    at,
    reason ?? null,
  );
}
