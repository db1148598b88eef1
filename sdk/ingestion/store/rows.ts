import type { Entry, EntryRecord, EntrySource, EntryType, Partition } from "../entry.ts";
import type { Row } from "./database.ts";
import type { Knowledge } from "./types.ts";

/** Stored sources keep their big numbers as decimal strings. */
export function writeSource(source: EntrySource): string {
  return JSON.stringify({ ...source, agentId: source.agentId.toString(), nonce: source.nonce.toString() });
}

function readSource(text: string): EntrySource {
  const stored: Omit<EntrySource, "agentId" | "nonce"> & { agentId: string; nonce: string } = JSON.parse(text);

  return { ...stored, agentId: BigInt(stored.agentId), nonce: BigInt(stored.nonce) };
}

/** An entry as the store wrote it: rows come from our own, checked tables. */
export function readEntry(row: Row): Entry {
  const record: EntryRecord = {
    id: String(row.id),
    stage: row.stage as EntryRecord["stage"],
    content: String(row.content),
    entryType: row.entry_type as EntryType,
    contentHash: row.content_hash as EntryRecord["contentHash"],
    canonicalHash: row.canonical_hash as EntryRecord["canonicalHash"],
    source: readSource(String(row.source)),
    provenanceState: row.provenance_state as EntryRecord["provenanceState"],
    flags: JSON.parse(String(row.flags)),
    quarantinedAt: Number(row.quarantined_at),
    changedAt: Number(row.changed_at),
    ...(row.pruned_at === null ? {} : { prunedAt: Number(row.pruned_at) }),
    ...(row.validation === null ? {} : { validation: JSON.parse(String(row.validation)) }),
    ...(row.rejection === null ? {} : { rejection: JSON.parse(String(row.rejection)) }),
  };

  return record as Entry;
}

export function readKnowledge(row: Row): Knowledge {
  return {
    id: String(row.id),
    partition: row.partition as Partition,
    content: String(row.content),
    entryType: row.entry_type as EntryType,
    confidence: Number(row.confidence),
    adoptedAt: Number(row.adopted_at),
    ...(row.entry_id === null ? {} : { entryId: String(row.entry_id) }),
    ...(row.agent_id === null
      ? {}
      : { author: { chainId: Number(row.chain_id), agentId: BigInt(String(row.agent_id)) } }),
  };
}

export function writeVector(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** Copies: blobs need not start where a Float32Array may. */
export function readVector(blob: Uint8Array): Float32Array {
  return new Float32Array(blob.slice().buffer);
}
