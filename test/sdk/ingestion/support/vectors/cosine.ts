/** Of vectors of length 1. */
export function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, number, d) => sum + number * (b[d] ?? 0), 0);
}
