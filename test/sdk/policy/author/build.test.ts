import { readFileSync } from "node:fs";
import { expect } from "chai";
import fc from "fast-check";
import { toFunctionSelector, zeroAddress } from "viem";
import { checkPolicyOnChain } from "../../../../sdk/cage/read/check-on-chain.ts";
import type { PolicyCageConfig, Violation } from "../../../../sdk/index.ts";
import { violationsOf } from "../../../../sdk/policy/model/violations.ts";
import { tell, toldArbitrary } from "../support/arbitrary-policy.ts";
import { constructorOf, type Refused } from "../support/construction.ts";
import { faultyArbitrary } from "../support/faults.ts";
import { deployPolicyWorld, type PolicyWorld } from "../support/world.ts";

const RUNS = 700;

/** Where the SDK names a constraint otherwise than the contract names the field. */
const CONSTRAINTS: Record<string, RegExp> = {
  baseDecimals: /^baseAsset$/,
  strategies: /^strategyWhitelist$/,
  protocol: /^approvedProtocols$/,
  cladeWallet: /^cladeWallets$/,
  asset: /^assets/,
  decimals: /^assets\[.*\]$/,
  feedDecimals: /\.priceFeed\.feed$/,
};

/** By error, where it carries no field. */
const BY_ERROR: Record<string, RegExp> = {
  BaseAssetRequired: /^assets/,
  ProtocolNotApproved: /^strategyWhitelist$/,
  AuthorityCallRefused: /^strategyWhitelist$/,
  LargeTradesMismatch: /^largeTradeDelay$/,
  DebtCallRefused: /^strategyWhitelist$/,
  NativeFeedMismatch: /\.priceFeed\./,
  PriceFeedRefused: /\.priceFeed\./,
  DustTooValuable: /\.priceFeed\.dust$/,
};

/** What only the chain knows. */
const CHAIN_ERRORS = /^(InvalidAddress|PriceFeedRefused|DustTooValuable)$/;

/** True when what the chain refuses is among the violations. A policy that breaks rules is not asked what else the chain says. */
function isNamed({ name, field }: Refused, violations: readonly Violation[], isAskedOfChain: boolean): boolean {
  if (name === "not encodable") return true;
  if (!isAskedOfChain && (CHAIN_ERRORS.test(name) || /ecimals$/.test(field))) return true;
  const expected = BY_ERROR[name] ?? CONSTRAINTS[field];

  return violations.some(({ constraint }) =>
    expected === undefined ? constraint === field || constraint.endsWith(`.${field}`) : expected.test(constraint),
  );
}

describe("A policy builds if and only if a cage accepts it", () => {
  let world: PolicyWorld;
  let construct: Awaited<ReturnType<typeof constructorOf>>;

  before(async () => {
    world = await deployPolicyWorld();
    construct = await constructorOf(world);
  });

  /** Fails unless chain and SDK agree about `config`; answers whether they accept it. */
  async function agree(
    config: PolicyCageConfig,
    violations: readonly Violation[],
    isAskedOfChain: boolean,
  ): Promise<boolean> {
    const refused = await construct(config);
    const verdicts = JSON.stringify({ violations, refused });

    expect(violations.length === 0, verdicts).to.equal(refused === undefined);
    if (refused !== undefined) expect(isNamed(refused, violations, isAskedOfChain), verdicts).to.equal(true);

    return refused === undefined;
  }

  it("whatever a builder is told", async () => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(faultyArbitrary(world), async (told) => {
        const builder = tell(told);
        const built = builder.safeBuild();
        const violations = built.success
          ? await checkPolicyOnChain(built.policy, world.chain.client.public)
          : built.violations;

        accepted += Number(await agree(builder.draft(), violations, built.success));
      }),
      { numRuns: RUNS },
    );

    expect(accepted).to.be.within(RUNS / 4, (RUNS * 3) / 4);
  });

  it("whatever the order and the contradictions of a configuration", async () => {
    const counts = { accepted: 0, refused: 0 };
    const spoiled = fc.record({
      told: toldArbitrary(world),
      isReversed: fc.record({ assets: fc.boolean(), protocols: fc.boolean(), pairs: fc.boolean() }),
      flags: fc.record({ hasMainWallet: fc.boolean(), hasSequencerFeed: fc.boolean() }),
      spoils: fc.subarray(["assets", "protocols", "pairs", "flags"] as const),
    });
    await fc.assert(
      fc.asyncProperty(spoiled, async ({ told, isReversed, flags, spoils }) => {
        const config = tell(told).draft();
        const turn = <Item>(name: keyof typeof isReversed, list: readonly Item[]) =>
          spoils.includes(name) && isReversed[name] ? list.toReversed() : list;
        const candidate = {
          ...config,
          assets: turn("assets", config.assets),
          approvedProtocols: turn("protocols", config.approvedProtocols),
          strategyWhitelist: turn("pairs", config.strategyWhitelist),
          ...(spoils.includes("flags") ? flags : {}),
        };

        counts[(await agree(candidate, violationsOf(candidate), false)) ? "accepted" : "refused"] += 1;
      }),
      { numRuns: 150 },
    );

    expect(counts.accepted).to.be.greaterThan(30);
    expect(counts.refused).to.be.greaterThan(30);
  });

  it("whichever call that opens debt it whitelists: every one of the list is refused by both", async () => {
    const signatures = JSON.parse(readFileSync("contracts/debt-selectors.json", "utf8")) as string[];
    const [protocol = zeroAddress] = world.protocols;
    const [told] = fc.sample(toldArbitrary(world), { numRuns: 1, seed: 1 });
    if (told === undefined) throw new Error("Nothing was sampled.");
    const config = { ...tell(told).draft(), approvedProtocols: [protocol] };
    const withPair = (signature: string) => ({
      ...config,
      strategyWhitelist: [{ protocol, selector: toFunctionSelector(signature) }],
    });

    expect(signatures.length).to.be.greaterThan(50);
    const swap = withPair("swap(address,uint256)");
    expect(await agree(swap, violationsOf(swap), false)).to.equal(true);
    for (const signature of signatures) {
      const candidate = withPair(signature);
      expect(await agree(candidate, violationsOf(candidate), false), signature).to.equal(false);
      expect((await construct(candidate))?.name, signature).to.equal("DebtCallRefused");
    }
  });

  it("policies that are meant to be good are", async () => {
    await fc.assert(
      fc.asyncProperty(toldArbitrary(world), async (told) => {
        expect(tell(told).safeBuild()).to.have.property("success", true);
      }),
      { numRuns: 100 },
    );
  });
});
