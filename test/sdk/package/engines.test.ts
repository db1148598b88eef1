import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { expect } from "chai";
import fc from "fast-check";
import { satisfies } from "../../../scripts/lib/node-range.mjs";
import { root, run } from "../support/package.ts";
import { plainEnvironment } from "../support/registry.ts";

const require = createRequire(import.meta.url);
// It has no types of its own.
const semver: {
  satisfies(version: string, range: string): boolean;
  subset(range: string, other: string): boolean;
} = require("semver");

type Lock = { packages: Record<string, { engines?: { node?: string } }> };

const { engines, version, peerDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const range: string = engines.node;

/** What the locked packages say of Node, without the project itself. */
function neededRanges(): string[] {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lock;

  return Object.entries(packages).flatMap(([path, entry]) =>
    path === "" || entry.engines?.node === undefined ? [] : [entry.engines.node],
  );
}

describe("the lock file", () => {
  it("is one that npm ci takes in a fresh clone", async () => {
    const clone = mkdtempSync(join(tmpdir(), "policycage-lock-"));
    for (const file of ["package.json", "package-lock.json", ".npmrc", "models/package.json"]) {
      cpSync(join(root, file), join(clone, file));
    }
    const options = ["--dry-run", "--ignore-scripts", "--offline"];
    const { stdout } = await run("npm", ["ci", ...options], { cwd: clone, env: plainEnvironment() });

    expect(stdout).to.match(/added \d{3} packages/);
    rmSync(clone, { recursive: true });
  });
});

describe("the engine of the package", () => {
  it("runs every locked package", () => {
    const needed = neededRanges();

    expect(needed).to.have.length.greaterThan(100);
    expect(needed.filter((other) => !semver.subset(range, other))).to.deep.equal([]);
  });

  it("leaves no version out that would run them all", () => {
    const needed = neededRanges();
    const released = [20, 21, 22, 23, 24, 25, 26, 27].flatMap((major) =>
      Array.from({ length: 40 }, (_, minor) => [0, 1, 2, 3].map((patch) => `${major}.${minor}.${patch}`)).flat(),
    );

    for (const candidate of released) {
      const runsAll = needed.every((other) => semver.satisfies(candidate, other));
      expect(semver.satisfies(candidate, range), candidate).to.equal(runsAll);
    }
  });

  it("is what the bootstrap asks a Node for, in its own words", () => {
    const number = fc.integer({ min: 0, max: 40 });
    fc.assert(
      fc.property(number, number, fc.integer({ min: 0, max: 5 }), (major, minor, patch) => {
        const candidate = `${major}.${minor}.${patch}`;
        expect(satisfies(`v${candidate}`, range), candidate).to.equal(semver.satisfies(candidate, range));
      }),
      { numRuns: 2_000 },
    );
    expect(() => satisfies("24.0.0", "~24.1.0")).to.throw(RangeError);
    expect(satisfies(process.version, range)).to.equal(true);
  });

  it("has the Node that is got where there is none, which version managers read too", () => {
    const fallback = readFileSync(join(root, ".nvmrc"), "utf8").trim();

    expect(fallback).to.match(/^\d+\.\d+\.\d+$/);
    expect(semver.satisfies(fallback, range), fallback).to.equal(true);
  });

  it("holds for models of the same version", () => {
    const models = JSON.parse(readFileSync(join(root, "models/package.json"), "utf8"));

    expect(models.version).to.equal(version);
    expect(peerDependencies["policycage-models"]).to.equal(version);
  });
});
