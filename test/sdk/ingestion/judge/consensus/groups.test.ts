import { expect } from "chai";
import fc from "fast-check";
import { groupsOf } from "../../../../../sdk/ingestion/judge/consensus/groups.ts";
import { near } from "../../../../support/near.ts";

const unitVectors = fc
  .array(fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 40 })
  .map((rows) =>
    rows.map((row) => {
      const norm = Math.hypot(...row);

      return Float32Array.from(norm === 0 ? [1, 0, 0] : row.map((number) => number / norm));
    }),
  );

function similarity(a: Float32Array = new Float32Array(), b: Float32Array = new Float32Array()): number {
  return a.reduce((sum, number, index) => sum + number * (b[index] ?? 0), 0);
}

describe("Groups of a batch", () => {
  it("hold every entry exactly once, in at most as many groups as asked for", () => {
    fc.assert(
      fc.property(unitVectors, fc.integer({ min: 1, max: 8 }), (vectors, count) => {
        const groups = groupsOf(vectors, count);

        expect(groups.flatMap(({ members }) => members).sort((a, b) => a - b)).to.deep.equal([...vectors.keys()]);
        expect(groups.length).to.be.at.most(count);
      }),
    );
  });

  it("are spoken for by two of their own, the second the least like the first", () => {
    fc.assert(
      fc.property(unitVectors, fc.integer({ min: 1, max: 8 }), (vectors, count) => {
        for (const { members, medoid, farthest } of groupsOf(vectors, count)) {
          const least = Math.min(...members.map((member) => similarity(vectors[medoid], vectors[member])));

          expect(members).to.include(medoid);
          expect(members).to.include(farthest);
          expect(similarity(vectors[medoid], vectors[farthest])).to.satisfy(near(least, 1e-6));
        }
      }),
    );
  });

  it("give what stands apart a group of its own", () => {
    const near = Array.from({ length: 9 }, (_, index) => Float32Array.of(Math.cos(index / 100), Math.sin(index / 100)));
    const groups = groupsOf([...near, Float32Array.of(-1, 0)], 2);

    expect(groups.map(({ members }) => members.length).sort()).to.deep.equal([1, 9]);
  });
});
