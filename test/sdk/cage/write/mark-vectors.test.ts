import { readFileSync } from "node:fs";
import { expect } from "chai";
import { type Address, type Hex, hashTypedData } from "viem";
import { highWaterMarkTypedData } from "../../../../sdk/index.ts";

type Marks = Record<"chainIds" | "values" | "asOfs" | "nonces" | "deadlines", string[]> & {
  cages: Address[];
  digests: Hex[];
};

const { marks }: { marks: Marks } = JSON.parse(
  readFileSync(new URL("../../../fixtures/generated/vectors.json", import.meta.url), "utf8"),
);

describe("High-water mark", () => {
  it("is signed as the digest that the contracts compute", () => {
    const digests = marks.cages.map((cage, index) => {
      const field = (name: Exclude<keyof Marks, "cages" | "digests">) => BigInt(marks[name][index] ?? 0);
      const mark = {
        value: field("values"),
        asOf: field("asOfs"),
        nonce: field("nonces"),
        deadline: field("deadlines"),
      };

      return hashTypedData(highWaterMarkTypedData(Number(field("chainIds")), cage, mark));
    });

    expect(digests).to.have.length.greaterThan(0);
    expect(digests).to.deep.equal(marks.digests);
  });
});
