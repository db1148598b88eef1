import { createCipheriv, createHmac } from "node:crypto";

/**
 * SimHash (Charikar 2002): one bit per random hyperplane, the side of it a vector lies on. Two vectors at angle θ agree in each bit with
 * probability 1 - θ/π. The hyperplanes come from a 32-byte key: who does not have it cannot test guesses against a signature.
 */
export class SimHash {
  readonly bitCount: number;
  readonly #dimension: number;
  readonly #planes: Float32Array;

  /** `bitCount`: a multiple of 32. */
  constructor({ key, dimension, bitCount }: { key: Uint8Array; dimension: number; bitCount: number }) {
    if (bitCount % 32 !== 0 || bitCount <= 0)
      throw new RangeError(`a signature has a multiple of 32 bits, not ${bitCount}`);
    this.bitCount = bitCount;
    this.#dimension = dimension;
    this.#planes = gaussians(key, bitCount * dimension);
  }

  /** The signature of a vector, 32 bits a word. Throws a RangeError for a vector of another dimension. */
  of(vector: Float32Array): Uint32Array {
    const dimension = this.#dimension;
    if (vector.length !== dimension) throw new RangeError(`a vector has ${dimension} numbers, not ${vector.length}`);

    const planes = this.#planes;
    const words = new Uint32Array(this.bitCount / 32);
    for (let bit = 0, at = 0; bit < this.bitCount; bit += 1) {
      let sum = 0;
      for (let index = 0; index < dimension; index += 1, at += 1) sum += (vector[index] ?? 0) * (planes[at] ?? 0);
      if (sum > 0) words[bit >> 5] = (words[bit >> 5] ?? 0) | (1 << (bit & 31));
    }

    return words;
  }
}

/** Set bits of a 32-bit word. */
export function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);

  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

export const BITS_PER_BAND = 16;
export const BANDS = 8;

/**
 * The keys a signature has in a filter: one per band of 16 bits, keyed like the hyperplanes. Similar vectors share at least one with
 * probability 1 - (1 - (1 - θ/π)^16)^8: 80 % at cosine 0.95, 19 % at 0.8.
 */
export function bandKeys(key: Uint8Array, signature: Uint32Array): Uint8Array[] {
  return Array.from({ length: BANDS }, (_, band) => {
    const word = signature[band >> 1] ?? 0;
    const bits = (band & 1) === 0 ? word & 0xffff : word >>> 16;

    return createHmac("sha256", key)
      .update(Uint8Array.of(band, bits & 0xff, bits >>> 8))
      .digest();
  });
}

/** Independent standard normal numbers, the same for the same key (AES-CTR key stream, Box and Muller 1958). */
function gaussians(key: Uint8Array, count: number): Float32Array {
  const pairs = Math.ceil(count / 2);
  const stream = createCipheriv("aes-256-ctr", key, new Uint8Array(16)).update(new Uint8Array(pairs * 8));
  const numbers = new Float32Array(pairs * 2);
  for (let pair = 0; pair < pairs; pair += 1) {
    const radius = Math.sqrt(-2 * Math.log((stream.readUInt32LE(pair * 8) + 1) / 2 ** 32));
    const angle = (2 * Math.PI * stream.readUInt32LE(pair * 8 + 4)) / 2 ** 32;
    numbers[2 * pair] = radius * Math.cos(angle);
    numbers[2 * pair + 1] = radius * Math.sin(angle);
  }

  return numbers;
}
