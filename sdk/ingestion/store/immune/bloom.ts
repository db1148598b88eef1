/** Filters travel between golems, so all have one size: 4 KB. */
export const FILTER_BYTES = 4_096;
const FILTER_BITS = FILTER_BYTES * 8;
const FALSE_POSITIVE_RATE = 0.01;

/** A digest of 32 bytes gives 16 independent positions of 16 bits. */
const KEY_BYTES = 32;
const MAX_PROBES = KEY_BYTES / 2;

export type FilterSize = {
  /** Bits tested per key. */
  hashCount: number;
  /** Items a filter takes before it answers "yes" wrongly more often than designed. */
  capacity: number;
};

/**
 * The size of a 4 KB filter whose whole query is wrong at most 1 % of the time, where one item is `keysPerItem` keys and a query asks for
 * all of them: 3 415 items for one key, 294 for eight. The rate of a filter with n keys is (1 - e^(-kn/m))^k (Bloom 1970).
 */
export function sizeFilter(keysPerItem = 1): FilterSize {
  const rate = FALSE_POSITIVE_RATE / keysPerItem;
  let best: FilterSize = { hashCount: 1, capacity: 0 };
  for (let hashCount = 1; hashCount <= MAX_PROBES; hashCount += 1) {
    const keys = (-FILTER_BITS / hashCount) * Math.log(1 - rate ** (1 / hashCount));
    const capacity = Math.floor(keys / keysPerItem);
    if (capacity > best.capacity) best = { hashCount, capacity };
  }

  return best;
}

/** A set of digests that never denies one it holds and wrongly confirms others at its designed rate. */
export class BloomFilter {
  readonly bytes: Uint8Array;
  readonly #hashCount: number;

  /** Throws a RangeError when `bytes` is not a filter of 4 KB. Keeps `bytes`, does not copy. */
  constructor(hashCount: number, bytes: Uint8Array = new Uint8Array(FILTER_BYTES)) {
    if (bytes.length !== FILTER_BYTES) throw new RangeError(`a filter has ${FILTER_BYTES} bytes, not ${bytes.length}`);
    if (!Number.isInteger(hashCount) || hashCount < 1 || hashCount > MAX_PROBES) {
      throw new RangeError(`a filter tests 1 to ${MAX_PROBES} bits, not ${hashCount}`);
    }
    this.#hashCount = hashCount;
    this.bytes = bytes;
  }

  /** `key`: 32 uniformly distributed bytes, such as a SHA-256 digest. */
  add(key: Uint8Array): void {
    for (let probe = 0; probe < this.#hashCount; probe += 1) {
      const position = positionOf(key, probe);
      this.bytes[position >> 3] = (this.bytes[position >> 3] ?? 0) | (1 << (position & 7));
    }
  }

  has(key: Uint8Array): boolean {
    for (let probe = 0; probe < this.#hashCount; probe += 1) {
      const position = positionOf(key, probe);
      if (((this.bytes[position >> 3] ?? 0) & (1 << (position & 7))) === 0) return false;
    }

    return true;
  }

  /** Share of bits that are set; about one half at the designed load. */
  fillRatio(): number {
    let set = 0;
    for (const byte of this.bytes) for (let rest = byte; rest !== 0; rest &= rest - 1) set += 1;

    return set / FILTER_BITS;
  }
}

function positionOf(key: Uint8Array, probe: number): number {
  const low = key[2 * probe];
  const high = key[2 * probe + 1];
  if (low === undefined || high === undefined) throw new RangeError(`a key has ${KEY_BYTES} bytes, not ${key.length}`);

  return (low | (high << 8)) & (FILTER_BITS - 1);
}
