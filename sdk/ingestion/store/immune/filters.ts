import { BloomFilter, type FilterSize } from "./bloom.ts";

/** As many filters of one size as the items need: a new one is begun when the last has reached its capacity. */
export class FilterChain {
  readonly #size: FilterSize;
  readonly #filters: BloomFilter[] = [];
  #itemCount = 0;

  constructor(size: FilterSize) {
    this.#size = size;
  }

  get slices(): readonly Uint8Array[] {
    return this.#filters.map(({ bytes }) => bytes);
  }

  /** Adds one item, by all its keys. */
  add(keys: readonly Uint8Array[]): void {
    if (this.#itemCount % this.#size.capacity === 0) this.#filters.push(new BloomFilter(this.#size.hashCount));
    const filter = this.#filters.at(-1);
    for (const key of keys) filter?.add(key);
    this.#itemCount += 1;
  }

  /** Whether any filter has any of the keys. */
  hasAny(keys: readonly Uint8Array[]): boolean {
    return this.#filters.some((filter) => keys.some((key) => filter.has(key)));
  }
}
