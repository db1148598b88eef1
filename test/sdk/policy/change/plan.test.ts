import { expect } from "chai";
import fc from "fast-check";
import { decodeFunctionData } from "viem";
import { policyCageAbi } from "../../../../sdk/abi/index.ts";
import type { PolicyCageConfig } from "../../../../sdk/index.ts";
import { ImmutableFieldError, Policy, PolicyBuilder, planPolicy, usdc } from "../../../../sdk/index.ts";
import { changesBetween, type KnownRules } from "../../../../sdk/policy/change/changes.ts";
import { meet } from "../../../../sdk/policy/change/meet.ts";
import type { NumericField } from "../../../../sdk/policy/model/rules.ts";
import { violationsOf } from "../../../../sdk/policy/model/violations.ts";
import { type Told, tell, toldArbitrary } from "../support/arbitrary-policy.ts";
import { imaginaryAddresses } from "../support/world.ts";

const NOW = 1_800_000_000n;
const HOUR = 3_600n;

const told = toldArbitrary(imaginaryAddresses());

/** Two policies of one cage. */
const pairs = fc.tuple(told, told).map(([one, other]) => {
  const fixed: Pick<Told, "sequencerFeed"> = { sequencerFeed: one.sequencerFeed };

  return [tell(one).build(), tell({ ...other, ...fixed }).build()] as const;
});

/** Rules after each call, from the model that the plan is made with. */
function statesOf(current: Policy, next: Policy): KnownRules[] {
  const to = next.toPolicyCageConfig();
  const start: KnownRules = { config: current.toPolicyCageConfig(), feeds: new Map() };
  const states = [start];
  for (const target of [meet(start.config, to), to]) {
    const present = states.at(-1) ?? start;
    for (const change of changesBetween(present, target)) states.push(change.apply(states.at(-1) ?? start));
  }

  return states;
}

/** The ways in which `config` allows more than `bound`: said once more, field by field, apart from how the plan is made. */
function looserIn(config: PolicyCageConfig, bound: PolicyCageConfig): string[] {
  const more = (field: keyof PolicyCageConfig, isLooser: boolean) => (isLooser ? [field] : []);
  const above = (field: NumericField) => more(field, config[field] > bound[field]);
  const below = (field: NumericField) => more(field, config[field] < bound[field]);
  const beyond = <Item>(field: keyof PolicyCageConfig, list: readonly Item[], allowed: readonly Item[]) =>
    more(field, !list.every((item) => allowed.some((other) => JSON.stringify(other) === JSON.stringify(item))));
  const bought = ({ assets }: PolicyCageConfig) =>
    assets.filter(({ isSellOnly }) => !isSellOnly).map(({ asset }) => asset);
  const main = ({ hasMainWallet, mainWallet }: PolicyCageConfig) => (hasMainWallet ? [mainWallet] : []);

  return [
    ...above("maxAssetCount"),
    ...above("maxPositionBps"),
    ...above("maxPositions"),
    ...above("maxConcentrationBps"),
    ...below("minCollateralRatioBps"),
    ...above("drawdownThresholdBps"),
    ...above("maxDrawdownBps"),
    ...below("minRebalanceInterval"),
    ...above("maxRebalancesPerDay"),
    ...above("perTransactionCapUsdc"),
    ...above("perSessionCapUsdc"),
    ...above("perDayCapUsdc"),
    ...above("maxTradeLossBps"),
    ...more("allowArbitraryCalldata", config.allowArbitraryCalldata && !bound.allowArbitraryCalldata),
    ...more("isSanctionsScreeningOn", !config.isSanctionsScreeningOn && bound.isSanctionsScreeningOn),
    ...beyond("assets", bought(config), bought(bound)),
    ...beyond("approvedProtocols", config.approvedProtocols, bound.approvedProtocols),
    ...beyond("strategyWhitelist", config.strategyWhitelist, bound.strategyWhitelist),
    ...beyond("mainWallet", main(config), main(bound)),
    ...beyond("cladeWallets", config.cladeWallets, bound.cladeWallets),
  ];
}

describe("Plan", () => {
  it("leads from any policy to any other, by rules that a cage accepts", () => {
    fc.assert(
      fc.property(pairs, ([current, next]) => {
        const states = statesOf(current, next);
        const { steps, constitutionHash } = planPolicy({ current, next, now: NOW });

        for (const { config } of states) expect(violationsOf(config)).to.deep.equal([]);
        expect(states.at(-1)?.config).to.deep.equal(next.toPolicyCageConfig());
        expect(steps.map((step) => step.constitutionHash)).to.deep.equal(
          states.slice(1).map(({ config }) => Policy.fromConfig(config).toConstitution().hash),
        );
        expect(constitutionHash).to.equal(next.toConstitution().hash);
      }),
      { numRuns: 60 },
    );
  });

  it("is never looser than both policies on the way", () => {
    fc.assert(
      fc.property(pairs, ([current, next]) => {
        const [from, to] = [current.toPolicyCageConfig(), next.toPolicyCageConfig()];
        const enteringAsSellOnly = new Set(
          to.assets
            .filter(({ asset, isSellOnly }) => isSellOnly && !from.assets.some((row) => row.asset === asset))
            .map(({ asset }) => asset),
        );
        for (const { config } of statesOf(current, next)) {
          // The one exception: a cage lists an asset as approved first.
          const assets = config.assets.map((row) => ({
            ...row,
            isSellOnly: row.isSellOnly || enteringAsSellOnly.has(row.asset),
          }));
          const state = { ...config, assets };

          const excess = [looserIn(state, from), looserIn(state, to)];
          expect(
            excess.some(({ length }) => length === 0),
            JSON.stringify(excess),
          ).to.equal(true);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("goes on where it was interrupted", () => {
    fc.assert(
      fc.property(pairs, fc.nat(1_000), ([current, next], at) => {
        const states = statesOf(current, next);
        const { steps } = planPolicy({ current, next, now: NOW });
        const done = at % states.length;
        const { config, feeds } = states[done] ?? { config: current.toPolicyCageConfig(), feeds: new Map() };

        const rest = planPolicy({ current: Policy.fromConfig(config), next, now: NOW, knownFeeds: feeds });

        expect(rest.steps.map(({ call }) => call)).to.deep.equal(steps.slice(done).map(({ call }) => call));
      }),
      { numRuns: 60 },
    );
  });

  it("is empty between a policy and itself", () => {
    fc.assert(
      fc.property(pairs, ([policy]) => {
        expect(planPolicy({ current: policy, next: policy, now: NOW }).steps).to.deep.equal([]);
      }),
      { numRuns: 30 },
    );
  });

  it("names the same calls as it encodes", () => {
    fc.assert(
      fc.property(pairs, ([current, next]) => {
        for (const { setter, args, call } of planPolicy({ current, next, now: NOW }).steps) {
          const decoded = decodeFunctionData({ abi: policyCageAbi, data: call });

          expect(decoded.functionName).to.equal(setter);
          expect(decoded.args).to.deep.equal(args);
        }
      }),
      { numRuns: 40 },
    );
  });

  const [example] = fc.sample(told, { numRuns: 1, seed: 3 }) as [Told];
  const current = tell({
    ...example,
    numbers: { ...example.numbers, maxPositions: 5n, perDayCapUsdc: usdc(5_000), perTransactionCapUsdc: usdc(1_000) },
    isSanctionsScreeningOn: true,
  }).build();

  it("says tier and earliest time of each step, in the order in which they run", () => {
    const next = PolicyBuilder.from(current)
      .perTransactionCapUsdc(usdc(2_000))
      .perDayCapUsdc(usdc(4_000))
      .maxPositions(6)
      .sanctionsScreening(false)
      .build();

    const { steps } = planPolicy({ current, next, now: NOW });

    expect(
      steps.map(({ setter, args, tier, phase, earliestAt }) => ({ setter, args, tier, phase, in: earliestAt - NOW })),
    ).to.deep.equal([
      { setter: "setSpendingCaps", args: [usdc(1_000), usdc(4_000)], tier: "High", phase: "tightens", in: 24n * HOUR },
      { setter: "setMaxPositions", args: [6n], tier: "Elevated", phase: "changes", in: 24n * HOUR },
      { setter: "setSpendingCaps", args: [usdc(2_000), usdc(4_000)], tier: "High", phase: "changes", in: 24n * HOUR },
      { setter: "setSanctionsScreening", args: [false], tier: "Critical", phase: "changes", in: 48n * HOUR },
    ]);
    expect(steps[0]?.differences).to.deep.equal([{ field: "perDayCapUsdc", from: "5000 USDC", to: "4000 USDC" }]);
  });

  it("counts on what is submitted already", () => {
    const next = PolicyBuilder.from(current).maxPositions(6).build();
    const [step] = planPolicy({ current, next, now: NOW }).steps;
    if (step === undefined) throw new Error("There is nothing to do.");

    const { steps } = planPolicy({ current, next, now: NOW, pending: new Map([[step.call, NOW + 60n]]) });

    expect(steps[0]?.earliestAt).to.equal(NOW + 60n);
  });

  it("switches screening on at once", () => {
    const off = PolicyBuilder.from(current).sanctionsScreening(false).build();

    const { steps } = planPolicy({ current: off, next: current, now: NOW });

    expect(steps.map(({ setter, tier, earliestAt }) => ({ setter, tier, earliestAt }))).to.deep.equal([
      { setter: "setSanctionsScreening", tier: "none", earliestAt: NOW },
    ]);
  });

  it("switches screening on before it waits for anything else", () => {
    const off = PolicyBuilder.from(current).sanctionsScreening(false).build();
    const next = PolicyBuilder.from(current).perDayCapUsdc(usdc(4_000)).maxPositions(6).build();

    const { steps } = planPolicy({ current: off, next, now: NOW });

    expect(steps.map(({ setter, phase }) => [setter, phase])).to.deep.equal([
      ["setSanctionsScreening", "tightens"],
      ["setSpendingCaps", "tightens"],
      ["setMaxPositions", "changes"],
    ]);
  });

  it("refuses to plan what is fixed at construction, and names it", () => {
    const { sanctionOracle } = current.toPolicyCageConfig();
    const next = PolicyBuilder.from(current).sequencerFeed(sanctionOracle).build();

    expect(() => planPolicy({ current, next, now: NOW })).to.throw(ImmutableFieldError, "sequencerFeed");
  });
});
