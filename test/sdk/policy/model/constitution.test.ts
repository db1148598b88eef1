import { readFileSync } from "node:fs";
import { expect } from "chai";
import { type AbiParameter, decodeAbiParameters, type Hex } from "viem";
import { policyCageAbi } from "../../../../sdk/abi/index.ts";
import type { PolicyCageConfig } from "../../../../sdk/index.ts";
import { constitutionTypes } from "../../../../sdk/policy/generated/constitution.ts";
import { constitutionHash, constitutionOf } from "../../../../sdk/policy/model/constitution.ts";

type Vectors = { constitutions: { encoded: Hex[]; hashes: Hex[] } };

const vectors: Vectors = JSON.parse(
  readFileSync(new URL("../../../fixtures/generated/vectors.json", import.meta.url), "utf8"),
);

const inputs: readonly AbiParameter[] = policyCageAbi.find((item) => item.type === "constructor")?.inputs ?? [];

const configs = vectors.constitutions.encoded.map(
  (encoded) => decodeAbiParameters(inputs.slice(0, 1), encoded)[0] as PolicyCageConfig,
);

describe("Constitution", () => {
  it("hashes the vectors that the contracts hash", () => {
    expect(configs).to.have.length.greaterThan(0);
    expect(configs.map(constitutionHash)).to.deep.equal(vectors.constitutions.hashes);
  });

  it("names every field that is hashed, in values that survive JSON", () => {
    for (const config of configs) {
      const { hash, principles, parameters } = constitutionOf(config);

      expect(Object.keys(parameters)).to.deep.equal(constitutionTypes.Constitution.map(({ name }) => name));
      expect(Object.values(parameters)).not.to.include(undefined);
      expect(JSON.parse(JSON.stringify(parameters))).to.deep.equal(parameters);
      expect(principles).to.have.lengthOf(8);
      expect(hash).to.equal(constitutionHash(config));
    }
  });

  it("carries the values of the configuration", () => {
    const [config] = configs;
    if (config === undefined) throw new Error("There are no vectors.");
    const { parameters } = constitutionOf(config);

    expect(parameters.maxConcentrationBps).to.equal(config.maxConcentrationBps);
    expect(parameters.perDayCapUsdc).to.equal(String(config.perDayCapUsdc));
    expect(parameters.approvedProtocols).to.deep.equal(config.approvedProtocols);
    expect(parameters.shutdownReserve).to.equal("300000");
  });
});
