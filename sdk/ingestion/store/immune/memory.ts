import { createHash } from "node:crypto";
import { type Hex, hexToBytes } from "viem";
import type { AttackType, Author, EntryType, Provenance } from "../../entry.ts";
import type { Clock } from "../../ports.ts";
import type { Database } from "../database.ts";
import { countBits, type SimHash } from "./simhash.ts";

/** Each attack type has its own room, so that a flood of one cannot wash the others out. */
const SIGNATURES_PER_TYPE = 800;
/** Bits of 64 in which a variant may differ, and how many when it is also built alike. */
const MAX_DISTANCE = 6;
const MAX_DISTANCE_SAME_STRUCTURE = 12;

const SPIKE_DEVIATIONS = 6;

/** What the immune system looks at: where the vector points and how the entry is built, no words. */
export type Appearance = {
  entryType: EntryType;
  provenance: Provenance;
  confidenceBps: number;
  /** Characters. */
  length: number;
  vector: Float32Array;
};

export type ImmuneMatch = { attackType: AttackType; signature: string; distance: number };

/** Whose entry taught it, when, and until when it is believed; for good where that is left out. Milliseconds since 1970. */
export type Occasion = { author: Author; at: number; expiresAt?: number | undefined };

type Signatures = { words: Uint32Array; types: AttackType[]; count: number; goodUntil: number };

/**
 * What made this golem sick before. A signature has 128 bits: a SimHash of the vector (64) and a hash of the entry's bucketed structure
 * (64); rewordings stay within a few bits of it. Who sent it stands beside the signature, not in it: a new address must not evade it.
 */
export class ImmuneMemory {
  readonly #database: Database;
  readonly #simHash: SimHash;
  readonly #clock: Clock;
  #signatures: Signatures | undefined;

  /** `simHash`: of 64 bits, under this golem's own key. */
  constructor(database: Database, simHash: SimHash, clock: Clock) {
    this.#database = database;
    this.#simHash = simHash;
    this.#clock = clock;
  }

  /** Remembers a rejected entry; to be called inside the transaction that rejects it. */
  learn(
    appearance: Appearance,
    attackType: AttackType,
    { author: { chainId, agentId }, at, expiresAt }: Occasion,
  ): void {
    this.#database.run("DELETE FROM immune_signatures WHERE expires_at <= ?", at);
    this.#database.run(
      `INSERT INTO immune_signatures (signature, attack_type, chain_id, agent_id, seen_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (signature) DO UPDATE SET seen_at = excluded.seen_at, hits = hits + 1,
         expires_at = iif(expires_at IS NULL OR excluded.expires_at IS NULL, NULL, max(expires_at, excluded.expires_at))`,
      bytesOf(this.signatureOf(appearance)),
      attackType,
      chainId,
      agentId.toString(),
      at,
      expiresAt ?? null,
    );
    this.#database.run(
      // What expires anyway goes first: it must not wash out what is meant to stay.
      `DELETE FROM immune_signatures WHERE seq IN (SELECT seq FROM immune_signatures
         WHERE attack_type = ? ORDER BY expires_at IS NOT NULL, seen_at DESC, seq DESC LIMIT -1 OFFSET ${SIGNATURES_PER_TYPE})`,
      attackType,
    );
    this.#signatures = undefined;
  }

  /** Forgets every signature of what lay here, however it was built; to be called inside a transaction. Returns how many there were. */
  forget(vector: Float32Array): number {
    const simHash = bytesOf(Uint32Array.from(this.#simHash.of(vector)));
    this.#signatures = undefined;

    return this.#database.run(
      "DELETE FROM immune_signatures WHERE substr(signature, 1, ?) = ?",
      simHash.length,
      simHash,
    );
  }

  /** Forgets one signature, as `match` names it; to be called inside a transaction. Returns whether it was remembered. */
  forgetSignature(signature: Hex): boolean {
    this.#signatures = undefined;

    return this.#database.run("DELETE FROM immune_signatures WHERE signature = ?", hexToBytes(signature)) === 1;
  }

  /** The nearest remembered signature that this entry is a variant of. */
  match(appearance: Appearance): ImmuneMatch | undefined {
    if (this.#signatures === undefined || this.#clock.now() >= this.#signatures.goodUntil)
      this.#signatures = this.#load();
    const { words, types, count } = this.#signatures;
    const [a = 0, b = 0, c = 0, d = 0] = this.signatureOf(appearance);
    let best = -1;
    let bestDistance = MAX_DISTANCE_SAME_STRUCTURE + 1;
    for (let index = 0, at = 0; index < count; index += 1, at += 4) {
      const distance = countBits((words[at] ?? 0) ^ a) + countBits((words[at + 1] ?? 0) ^ b);
      if (distance >= bestDistance) continue;
      if (distance > MAX_DISTANCE && (words[at + 2] !== c || words[at + 3] !== d)) continue;
      best = index;
      bestDistance = distance;
    }

    const attackType = types[best];
    if (attackType === undefined) return undefined;
    const signature = Buffer.from(bytesOf(words.subarray(4 * best, 4 * best + 4))).toString("hex");

    return { attackType, signature: `0x${signature}`, distance: bestDistance };
  }

  /** Four words: two of SimHash, two of structure. */
  signatureOf({ entryType, provenance, confidenceBps, length, vector }: Appearance): Uint32Array {
    const words = new Uint32Array(4);
    words.set(this.#simHash.of(vector));
    const structure = [
      entryType,
      provenance,
      Math.min(9, Math.floor(confidenceBps / 1_000)),
      Math.round(Math.log2(length + 1)),
      isSpiky(vector),
    ].join("|");
    const digest = createHash("sha256").update(structure).digest();
    words[2] = digest.readUInt32LE(0);
    words[3] = digest.readUInt32LE(4);

    return words;
  }

  #load(): Signatures {
    const rows = this.#database.all(
      `SELECT signature, attack_type, expires_at FROM immune_signatures
       WHERE expires_at IS NULL OR expires_at > ? ORDER BY seq`,
      this.#clock.now(),
    );
    let goodUntil = Number.POSITIVE_INFINITY;
    for (const { expires_at: at } of rows) if (at !== null) goodUntil = Math.min(goodUntil, Number(at));
    const words = new Uint32Array(rows.length * 4);
    rows.forEach(({ signature }, index) => {
      if (signature instanceof Uint8Array) words.set(new Uint32Array(signature.slice().buffer), 4 * index);
    });

    return {
      words,
      types: rows.map((row) => row.attack_type as AttackType),
      count: rows.length,
      goodUntil,
    };
  }
}

/** Whether one number of a vector stands out as none does in text that was not crafted for it. */
function isSpiky(vector: Float32Array): boolean {
  let largest = 0;
  let squares = 0;
  for (const number of vector) {
    squares += number * number;
    largest = Math.max(largest, number * number);
  }

  return largest * vector.length > SPIKE_DEVIATIONS ** 2 * squares;
}

function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}
