/** For `satisfy`: chai's `closeTo` takes whole numbers only where Hardhat's matchers are loaded. */
export function near(expected: number, tolerance: number): (actual: number) => boolean {
  return (actual) => Math.abs(actual - expected) <= tolerance;
}
