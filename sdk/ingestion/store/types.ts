import type {
  AdoptedEntry,
  Author,
  Channel,
  Controller,
  Entry,
  EntryType,
  Partition,
  ProvenanceState,
  QuarantinedEntry,
  RejectedEntry,
  Rejection,
  ReviewFlag,
  RolledBackEntry,
  Stage,
  Submission,
  Trial,
  TrialledEntry,
  ValidatedEntry,
  ValidationResult,
} from "../entry.ts";

/** Where vectors live: one collection per part of the Grimoire, quarantine by itself, and apart what passed alone and judges nothing. */
export const COLLECTIONS = [
  "quarantine_entries",
  "grimoire_self",
  "grimoire_external",
  "grimoire_alone",
  "grimoire_lessons",
] as const;
export type Collection = (typeof COLLECTIONS)[number];

/** `vector: undefined` takes the id out of the collection. */
export type VectorChange = { collection: Collection; id: string; vector?: Float32Array };

/** Vectors by id, searchable. Derived data: it can be thrown away and made again from the state database. */
export type VectorIndex = {
  /** Makes the changes in order; making the same changes again leaves the same result. */
  apply(changes: readonly VectorChange[]): Promise<void>;
  /** The nearest by cosine, nearest first; similarity 1 is the same direction. */
  nearest(
    collections: readonly Collection[],
    vector: Float32Array,
    limit: number,
  ): Promise<{ id: string; similarity: number }[]>;
  /** Vectors of these ids, in any order; ids that are not there are left out. */
  read(collection: Collection, ids: readonly string[]): Promise<{ id: string; vector: Float32Array }[]>;
  ids(collection: Collection): Promise<string[]>;
};

/** One piece of the active Grimoire. `entryId` and `author` are there when it came from outside. */
export type Knowledge = {
  id: string;
  partition: Partition;
  content: string;
  entryType: EntryType;
  /** 0 to 1, as it is now. */
  confidence: number;
  adoptedAt: number;
  /** Days on which a decision that it influenced went well. */
  uses: number;
  /** Of outside knowledge: adopted entries that say the same, and share neither author nor origin with it or each other. */
  independents?: number;
  /** Let in by one layer alone: it stands against no other entry until it is confirmed. */
  passedAlone?: boolean;
  entryId?: string;
  author?: Author;
  /** See `partyOf`: of outside knowledge. */
  party?: string;
};

export type Neighbour = Knowledge & { similarity: number };

/** `weight`: what its confidence counts for in retrieval, 0 to 1. */
export type Retrieved = Neighbour & { weight: number };

/** The active Grimoire, as judging sees it. Neither quarantine nor what passed alone can be reached from here. */
export type GrimoireReader = {
  count(): number;
  nearest(vector: Float32Array, options: { limit: number; partitions?: readonly Partition[] }): Promise<Neighbour[]>;
  /** Up to `limit` pieces with their vectors, the same ones for the same seed. */
  sample(options: { limit: number; seed: number }): Promise<{ knowledge: Knowledge; vector: Float32Array }[]>;
};

/** An entry that is about to be stored, with what stage one found out. */
export type Draft = {
  submission: Submission;
  channel: Channel;
  provenanceState: Exclude<ProvenanceState, "refused">;
  controller?: Controller | undefined;
  flags: readonly ReviewFlag[];
  vector: Float32Array;
  /** Under which it has waited for room. */
  id?: string | undefined;
};

export type EntryQuery = {
  stage: Stage;
  provenanceState?: ProvenanceState;
  author?: Author;
  batchId?: string;
  entryType?: EntryType;
  limit: number;
};

/**
 * Entries and their stages. Each method that changes a stage is one transaction and throws `STAGE_CONFLICT` when the entry has moved on
 * since it was read.
 */
export type EntryStore = {
  get(id: string): Entry | undefined;
  /** Oldest first. */
  list(query: EntryQuery): Entry[];
  counts(): Record<Stage, number>;
  vectorOf(entry: Entry): Promise<Float32Array>;

  /** Notes a verdict that does not move the entry (`held`). */
  hold(entry: QuarantinedEntry, result: ValidationResult): Promise<QuarantinedEntry>;
  validate(entry: QuarantinedEntry, result: ValidationResult): Promise<ValidatedEntry>;
  /** Throws `SANDBOX_INSUFFICIENT` for a trial that did not pass, was of something else, or is not enough for how the entry was judged. */
  trial(entry: ValidatedEntry, trial: Trial): Promise<TrialledEntry>;
  /**
   * `confidence`: 0 to `initialConfidence`, of which an entry that passed alone gets half. `confirms`: ids of adopted entries that say the
   * same. Throws `CONFIDENCE_EXCESSIVE` for more, and `SANDBOX_MISSING`.
   */
  adopt(entry: ValidatedEntry | TrialledEntry, confidence: number, confirms?: readonly string[]): Promise<AdoptedEntry>;
  /** Notes that more than one layer passes an entry now that passed alone: it has its whole confidence, and stands against others. */
  confirmAdopted(entry: AdoptedEntry, result: ValidationResult): Promise<AdoptedEntry>;
  reject(
    entry: QuarantinedEntry | ValidatedEntry | TrialledEntry,
    rejection: Rejection,
    validation?: ValidationResult,
  ): Promise<RejectedEntry>;
  /** Takes an entry out of the Grimoire again; what its rejection teaches is learned. */
  rollBack(entry: AdoptedEntry, rejection: Rejection): Promise<RolledBackEntry>;
};
