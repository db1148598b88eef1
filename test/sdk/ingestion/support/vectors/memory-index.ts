import type { Collection, VectorChange, VectorIndex } from "../../../../../sdk/ingestion/store/types.ts";

/** A vector index in memory: what outlives a simulated crash. */
export class MemoryVectorIndex implements VectorIndex {
  readonly #collections = new Map<Collection, Map<string, Float32Array>>();

  async apply(changes: readonly VectorChange[]): Promise<void> {
    for (const { collection, id, vector } of changes) {
      if (vector === undefined) this.#of(collection).delete(id);
      else this.#of(collection).set(id, Float32Array.from(vector));
    }
  }

  async nearest(collections: readonly Collection[], vector: Float32Array, limit: number) {
    return collections
      .flatMap((collection) => [...this.#of(collection)])
      .map(([id, other]) => ({
        id,
        similarity: other.reduce((sum, number, at) => sum + number * (vector[at] ?? 0), 0),
      }))
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, limit);
  }

  async read(collection: Collection, ids: readonly string[]) {
    return ids.flatMap((id) => {
      const vector = this.#of(collection).get(id);

      return vector === undefined ? [] : [{ id, vector }];
    });
  }

  async ids(collection: Collection): Promise<string[]> {
    return [...this.#of(collection).keys()];
  }

  async copy(): Promise<MemoryVectorIndex> {
    const copy = new MemoryVectorIndex();
    for (const [collection, vectors] of this.#collections) {
      await copy.apply([...vectors].map(([id, vector]) => ({ collection, id, vector })));
    }

    return copy;
  }

  #of(collection: Collection): Map<string, Float32Array> {
    const known = this.#collections.get(collection) ?? new Map<string, Float32Array>();
    this.#collections.set(collection, known);

    return known;
  }
}
