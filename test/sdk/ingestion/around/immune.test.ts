import { randomBytes } from "node:crypto";
import { expect } from "chai";
import type { AttackType } from "../../../../sdk/ingestion/entry.ts";
import type { Appearance } from "../../../../sdk/ingestion/store/immune/memory.ts";
import { CHAIN_ID } from "../support/agents.ts";
import { useStore } from "../support/store.ts";

function randomUnit(): Float32Array {
  const vector = Float32Array.from(randomBytes(64), (byte) => byte - 127.5);
  const norm = Math.hypot(...vector);

  return vector.map((number) => number / norm);
}

function near(vector: Float32Array, cosine: number): Float32Array {
  const other = randomUnit();
  const along = vector.reduce((sum, number, index) => sum + number * (other[index] ?? 0), 0);
  const across = other.map((number, index) => number - along * (vector[index] ?? 0));
  const norm = Math.hypot(...across);

  return vector.map((number, index) => cosine * number + (Math.sqrt(1 - cosine ** 2) * (across[index] ?? 0)) / norm);
}

function appearance(changes: Partial<Appearance> = {}): Appearance {
  return {
    entryType: "heuristic",
    provenance: "purchased",
    confidenceBps: 9_000,
    length: 120,
    vector: randomUnit(),
    ...changes,
  };
}

describe("Immune memory", () => {
  const world = useStore();

  function learn(seen: Appearance, attackType: AttackType, agentId = 1n): void {
    world.store.database.transaction(() =>
      world.store.immuneMemory.learn(seen, attackType, {
        author: { agentId, chainId: CHAIN_ID },
        at: world.clock.now(),
      }),
    );
  }

  function learnMany(count: number, attackType: AttackType): void {
    world.store.database.transaction(() => {
      for (let index = 0; index < count; index += 1) learn(appearance(), attackType);
    });
  }

  for (const attackType of [
    "EmbeddingAnomaly",
    "ConfidenceInflation",
    "ProvenanceForgery",
    "ContentInjection",
    "CausalGraphPoisoning",
  ] as const) {
    it(`knows a variant of a ${attackType} again, from any sender and after a restart`, async () => {
      const seen = appearance();
      learn(seen, attackType, 3n);
      await world.reopen();

      const match = world.store.immuneMemory.match({ ...seen, vector: near(seen.vector, 0.998), length: 125 });
      expect(match?.attackType).to.equal(attackType);
      expect(match?.signature).to.match(/^0x[0-9a-f]{32}$/);
    });
  }

  it("knows next to nothing of entries that point elsewhere", () => {
    learnMany(200, "ContentInjection");
    let matches = 0;
    for (let index = 0; index < 500; index += 1) if (world.store.immuneMemory.match(appearance())) matches += 1;

    // Of random directions in 64 dimensions a few pairs lie near each other.
    expect(matches).to.be.at.most(5);
  });

  it("allows more distance to what is built the same way", () => {
    const seen = Array.from({ length: 50 }, () => appearance());
    for (const each of seen) learn(each, "ContentInjection");
    const shareOf = (changes: Partial<Appearance>) => {
      let matches = 0;
      for (const each of seen) {
        for (let variant = 0; variant < 10; variant += 1) {
          const vector = near(each.vector, 0.9);
          if (world.store.immuneMemory.match({ ...each, ...changes, vector })) matches += 1;
        }
      }

      return matches / 500;
    };

    // 64 bits at cosine 0.9 differ in 9.2 on average: 88 % within 12, 17 % within 6.
    expect(shareOf({})).to.be.greaterThan(0.7);
    expect(shareOf({ entryType: "insight" })).to.be.lessThan(0.4);
  });

  it("keeps a flood of one attack type from washing out the others", () => {
    const forged = appearance();
    learn(forged, "CausalGraphPoisoning");
    learnMany(1_000, "ProvenanceForgery");

    expect(world.store.immuneMemory.match(forged)?.attackType).to.equal("CausalGraphPoisoning");
    const counts = world.store.database.all(
      "SELECT attack_type, count(*) AS count FROM immune_signatures GROUP BY attack_type ORDER BY 1",
    );
    expect(counts.map(({ count }) => count)).to.deep.equal([1, 800]);
  });

  it("forgets what a transaction that fails has learned", () => {
    const seen = appearance();
    expect(() =>
      world.store.database.transaction(() => {
        world.store.immuneMemory.learn(seen, "ContentInjection", { author: { agentId: 1n, chainId: CHAIN_ID }, at: 0 });
        world.store.knownBad.learn(`0x${"ab".repeat(32)}`, seen.vector, 0);
        throw new Error("undone");
      }),
    ).to.throw("undone");

    expect(world.store.immuneMemory.match(seen)).to.equal(undefined);
    expect(world.store.knownBad.has(`0x${"ab".repeat(32)}`)).to.equal(false);
  });
});

describe("Known-bad content", () => {
  const world = useStore();
  const hash = (number: number) => `0x${number.toString(16).padStart(64, "0")}` as const;

  it("is denied never and confirmed only when it is bad, over restarts and full filters", async () => {
    world.store.database.transaction(() => {
      for (let number = 0; number < 4_000; number += 1) world.store.knownBad.learn(hash(number), undefined, 0);
    });
    await world.reopen();
    world.store.database.transaction(() => world.store.knownBad.learn(hash(4_000), undefined, 0));

    for (let number = 0; number <= 4_000; number += 1) {
      expect(world.store.knownBad.has(hash(number)), `item ${number}`).to.equal(true);
    }
    for (let number = 10_000; number < 20_000; number += 1) {
      expect(world.store.knownBad.has(hash(number)), `item ${number}`).to.equal(false);
    }
    expect(world.store.knownBad.newestHashes(2)).to.deep.equal([hash(3_999), hash(4_000)]);
  });
});
