import type { Claim } from "../claims/claim.ts";
import { relateAll } from "../claims/claims.ts";
import { keyOf } from "../entry.ts";
import type { GrimoireReader, Neighbour } from "../store/types.ts";
import type { Candidate } from "./layer.ts";

/** Neighbours that judge an entry. A-MemGuard uses five (arXiv 2510.02373). */
export const NEIGHBOUR_COUNT = 5;
/** Of this many nearest, those that speak of the same thing come first: nearness of whole texts misses a sentence in a long one. */
const LOOKED_AT = 40;
const SAMPLED = 48;
const CALIBRATED_FROM = 20;
const LOW_QUANTILE = 0.1;
/** The floor is measured anew when the Grimoire has grown or shrunk by a fifth. */
const DRIFT = 0.2;
const SEED = 7;

export type Related = Neighbour & { source: string };

/** Finds what the Grimoire knows around an entry. */
export class Neighbourhood {
  readonly #grimoire: GrimoireReader;
  #floor: { value: number; count: number } | undefined;

  constructor(grimoire: GrimoireReader) {
    this.#grimoire = grimoire;
  }

  /**
   * Up to five pieces, one per source (each of the golem's own counts by itself), none by the candidate's author: first those whose
   * statements stand to the candidate's for or against, nearest first; then those at least as near as the Grimoire's own pieces usually
   * are to one another.
   */
  async of(
    candidate: Candidate,
    claims: readonly Claim[],
    read: (text: string) => readonly Claim[],
  ): Promise<Related[]> {
    const found = await this.#grimoire.nearest(candidate.vector, {
      limit: LOOKED_AT,
      partitions: ["self", "external"],
    });
    const floor = await this.#similarityFloor();
    const sources = new Set<string>([candidate.author]);
    const related: Related[] = [];
    const near: Related[] = [];
    for (const neighbour of found) {
      const source = neighbour.author === undefined ? `self:${neighbour.id}` : keyOf(neighbour.author);
      if (source === candidate.author) continue;
      const piece = { ...neighbour, source };
      if (relateAll(claims, read(neighbour.content)).stance !== "unrelated") related.push(piece);
      else if (neighbour.similarity >= floor) near.push(piece);
    }

    return [...related, ...near]
      .filter(({ source }) => !sources.has(source) && sources.add(source))
      .slice(0, NEIGHBOUR_COUNT);
  }

  /** How near the least near tenth of the Grimoire's pieces are to their nearest other piece; 0 while there are under 20. */
  async #similarityFloor(): Promise<number> {
    const count = this.#grimoire.count();
    if (count < CALIBRATED_FROM) return 0;
    if (this.#floor !== undefined && Math.abs(count - this.#floor.count) <= DRIFT * this.#floor.count)
      return this.#floor.value;

    const similarities: number[] = [];
    for (const { knowledge, vector } of await this.#grimoire.sample({ limit: SAMPLED, seed: SEED })) {
      const other = (await this.#grimoire.nearest(vector, { limit: 2 })).find(({ id }) => id !== knowledge.id);
      if (other !== undefined) similarities.push(other.similarity);
    }
    similarities.sort((a, b) => a - b);
    const value = similarities[Math.floor(LOW_QUANTILE * similarities.length)] ?? 0;
    this.#floor = { value, count };
    return value;
  }
}
