import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";

/** What is defined once, where, and among which files it must not be written again. */
const CONSTANTS: readonly (readonly [what: string, pattern: RegExp, home: string, among: string])[] = [
  ["the zero address", /0x0{40}\b/, "sdk/core/units.ts", "{sdk,deploy,scripts}"],
  ["the native currency", /0xEe{3}e+/i, "sdk/core/units.ts", "{sdk,deploy,scripts}"],
  [
    "dollars as micro-USDC",
    /function (?:usdc|formatUsdc)\b|const usdc = \(/,
    "sdk/core/units.ts",
    "{sdk,deploy,scripts}",
  ],
  [
    "a unit by name",
    /const (?:ZERO|NATIVE|BPS|DAY|HOUR|CENT|USDC|GRACE\w*)\b[^=\n]*=/,
    "sdk/core/units.ts",
    "{sdk,deploy}",
  ],
  ["an hour and a day of the chain", /\b(?:3_?600|86_?400)n\b/, "sdk/core/units.ts", "sdk"],
  ["limits of screening", /\b(?:2_000_000|5_?000)\b(?!\.)/, "sdk/safety/limits.ts", "sdk/safety"],
];

describe("constants", () => {
  for (const [what, pattern, home, among] of CONSTANTS) {
    it(`define ${what} in ${home} alone`, () => {
      const files = globSync(`${among}/**/*.ts`, { exclude: ["**/generated/**"] });
      const found = files.filter((file) => pattern.test(readFileSync(file, "utf8")));

      expect(found.map((file) => file.replaceAll("\\", "/"))).to.deep.equal([home]);
    });
  }
});
