import { readFileSync } from "node:fs";
import { expect } from "chai";
import fc from "fast-check";
import { formatPolicyFile, type Policy, PolicyError, PolicyFileError, parsePolicyFile } from "../../../../sdk/index.ts";
import { tell, toldArbitrary } from "../support/arbitrary-policy.ts";
import { imaginaryAddresses } from "../support/world.ts";

const addresses = imaginaryAddresses();

const policies = toldArbitrary(addresses).map((told) => tell(told).build());

const schema = JSON.parse(
  readFileSync(new URL("../../../../sdk/policy/generated/policy.schema.json", import.meta.url), "utf8"),
);

const [example] = fc.sample(policies, { numRuns: 1, seed: 7 }) as [Policy];

type Json = Record<string, unknown>;

/** The example's file with something else in it. */
function spoilt(change: (file: Json) => void): string {
  const file: Json = JSON.parse(formatPolicyFile(example));
  change(file);

  return JSON.stringify(file);
}

function refusalOf(text: string): PolicyFileError | PolicyError {
  try {
    parsePolicyFile(text);
  } catch (error) {
    if (error instanceof PolicyFileError || error instanceof PolicyError) return error;
    throw error;
  }
  throw new Error("The file was accepted.");
}

function fieldsOf(text: string): string[] {
  const refusal = refusalOf(text);

  return refusal instanceof PolicyFileError
    ? refusal.fields.map(({ field }) => field)
    : refusal.violations.map(({ constraint }) => constraint);
}

describe("Policy file", () => {
  it("gives back the policy it was written from", () => {
    fc.assert(
      fc.property(policies, (policy) => {
        const again = parsePolicyFile(formatPolicyFile(policy));

        expect(again.toPolicyCageConfig()).to.deep.equal(policy.toPolicyCageConfig());
        expect(again.toConstitution().hash).to.equal(policy.toConstitution().hash);
        expect(formatPolicyFile(again)).to.equal(formatPolicyFile(policy));
      }),
      { numRuns: 200 },
    );
  });

  it("has the defaults of the builder where it says nothing", () => {
    const text = spoilt((file) => {
      for (const field of ["maxPositions", "perDayCapUsdc", "maxTradeLossBps", "isSanctionsScreeningOn"])
        delete file[field];
    });

    expect(parsePolicyFile(text).toPolicyCageConfig()).to.include({
      maxPositions: 10,
      perDayCapUsdc: 100_000_000_000n,
      maxTradeLossBps: 100,
      isSanctionsScreeningOn: true,
    });
  });

  it("takes amounts as strings and as numbers", () => {
    for (const amount of ["1234.5", 1234.5, "1234.500000"]) {
      const text = spoilt((file) => {
        file.perTransactionCapUsdc = amount;
      });

      expect(parsePolicyFile(text).toPolicyCageConfig().perTransactionCapUsdc).to.equal(1_234_500_000n);
    }
  });

  it("names fields that are missing, unknown or of the wrong type, all of them", () => {
    const text = spoilt((file) => {
      delete file.baseAsset;
      file.maxPositons = 3;
      file.maxConcentrationBps = "3000";
      const [first] = file.assets as Json[];
      (first?.priceFeed as Json).minAnswer = 1;
    });

    expect(fieldsOf(text)).to.have.members([
      "baseAsset",
      "maxPositons",
      "maxConcentrationBps",
      "assets[0].priceFeed.minAnswer",
    ]);
  });

  it("names constraints that its policy breaks", () => {
    const text = spoilt((file) => {
      file.perDayCapUsdc = "999.999999";
      file.sanctionOracle = String(file.sanctionOracle).toLowerCase();
      file.assets = (file.assets as Json[]).slice(1);
    });

    expect(fieldsOf(text)).to.include.members(["perDayCapUsdc", "sanctionOracle"]);
  });

  it("refuses amounts that USDC does not have", () => {
    for (const amount of ["1.0000001", "1e6", "-5", "", "0x10", 1e-7, -1, 1e30]) {
      const text = spoilt((file) => {
        file.perDayCapUsdc = amount;
      });

      expect(fieldsOf(text), String(amount)).to.include("perDayCapUsdc");
    }
  });

  it("refuses text that is no policy file with one error that quotes nothing of it", () => {
    const secret = "seed phrase of somebody";
    const texts = ["", "{", "[]", "null", "42", `{"${secret}`, `${secret}`, formatPolicyFile(example).slice(0, 500)];
    for (const text of texts) {
      const refusal = refusalOf(text);

      expect(refusal, text).to.be.instanceOf(PolicyFileError);
      expect(refusal.message).not.to.include(secret);
    }
    const noise = "x".repeat(10_000_000);
    expect(refusalOf(noise).message).to.match(/at most 262144 characters; this has 10000000/);
    expect(refusalOf(`${" ".repeat(10_000_000)}{}`).message.length).to.be.lessThan(200);
  });

  it("answers any JSON with a policy or an error of its own", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(refusalOf(text)).to.have.property("code");
      }),
      { numRuns: 500 },
    );
  });

  it("answers any change of one value with a policy or an error of its own", () => {
    const file: Json = JSON.parse(formatPolicyFile(example));
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(file)), fc.jsonValue(), (field, value) => {
        const text = JSON.stringify({ ...file, [field]: value });
        try {
          parsePolicyFile(text);
        } catch (error) {
          expect(error).to.have.property("code");
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it("has a JSON Schema that knows every field and says its range", () => {
    const file: Json = JSON.parse(formatPolicyFile(example, "./policy.schema.json"));

    expect(Object.keys(schema.properties)).to.include.members(Object.keys(file));
    expect(schema.required).to.have.members(["version", "baseAsset", "wrappedNative", "assets", "sanctionOracle"]);
    expect(schema.additionalProperties).to.equal(false);
    expect(schema.properties.maxConcentrationBps).to.include({ minimum: 500, maximum: 10_000, default: 3_000 });
  });
});
