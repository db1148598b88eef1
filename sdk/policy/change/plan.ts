import * as AbiFunction from "ox/AbiFunction";
import type { Address, Hex } from "viem";
import { policyCageAbi } from "../../abi/generated/policy-cage.ts";
import { PolicyCageError } from "../../core/errors.ts";
import { constitutionHash } from "../model/constitution.ts";
import type { Policy } from "../model/policy.ts";
import { IMMUTABLE_FIELDS, TIERS, type Tier } from "../model/rules.ts";
import type { PolicyCageConfig, PriceFeed, Violation } from "../model/types.ts";
import { type Change, changesBetween, type KnownRules } from "./changes.ts";
import { compareConfigs, type Difference } from "./compare.ts";
import { meet } from "./meet.ts";

/** One call on the way from one policy to another. */
export type PlanStep = {
  setter: string;
  args: readonly unknown[];
  /** Calldata of the setter: what is submitted, and sent to the cage once it has matured. */
  call: Hex;
  tier: Tier;
  /** Seconds between submission and maturity. Zero: it runs without submission. */
  delay: bigint;
  /** Earliest time it can run, when everything is submitted now and every step runs as soon as it may. */
  earliestAt: bigint;
  /** Steps that only take away come before those that give. */
  phase: "tightens" | "changes";
  /** What it changes. */
  differences: readonly Difference[];
  /** The cage's constitution hash once it has run. */
  constitutionHash: Hex;
};

export type Plan = { steps: readonly PlanStep[]; constitutionHash: Hex };

export type PlanOptions = {
  current: Policy;
  next: Policy;
  /** Time of the chain, in seconds. */
  now: bigint;
  /** Price feeds the cage keeps of assets that `current` does not list. */
  knownFeeds?: ReadonlyMap<Address, PriceFeed>;
  /** When calls that are submitted already mature, by calldata. */
  pending?: ReadonlyMap<Hex, bigint>;
};

/** The policies differ in what a cage fixes at construction: the owner needs another cage. */
export class ImmutableFieldError extends PolicyCageError {
  override readonly name = "ImmutableFieldError";
  readonly violations: readonly Violation[];

  constructor(violations: readonly Violation[]) {
    const lines = violations.map(({ constraint, value, allowed }) => `  ${constraint}: ${value}; deployed: ${allowed}`);
    super(["These fields are fixed when a cage is deployed:", ...lines].join("\n"), {
      code: "IMMUTABLE_FIELD",
      advice: "Leave them as they are, or deploy another cage with the new policy.",
    });
    this.violations = violations;
  }
}

const TIER_OF: Record<string, Exclude<Tier, "none">> = {
  removeAsset: "Elevated",
  whitelistAsset: "Elevated",
  whitelistProtocol: "Elevated",
  setMaxAssetCount: "Elevated",
  setMaxPositionBps: "Elevated",
  setMaxPositions: "Elevated",
  setMaxConcentrationBps: "Elevated",
  setMinCollateralRatioBps: "Elevated",
  setRebalanceLimits: "Elevated",
  setStrategies: "High",
  setRecipients: "High",
  setDrawdownThreshold: "High",
  setSoftDrawdown: "High",
  setSpendingCaps: "High",
  setSessionCap: "High",
  setMaxTradeLossBps: "High",
  setAllowArbitraryCalldata: "High",
  setPriceFeed: "Critical",
  setSanctionOracle: "Critical",
  setSanctionsScreening: "Critical",
};

/** Tier of a call of a setter. Switching sanctions screening on is no change that waits. */
function tierOf({ setter, args }: Change): Tier {
  if (setter === "setSanctionsScreening" && args[0] === true) return "none";
  const tier = TIER_OF[setter];
  if (tier === undefined) throw new TypeError(`${setter} has no tier.`);

  return tier;
}

/**
 * The calls that turn one policy into another, in the order in which the owner runs them. Every step leaves rules that the cage
 * accepts. First comes everything that only takes away, then everything else: at no step is the cage looser than both policies, except
 * that an asset that enters as sell-only is approved until the next step.
 * @returns no steps when the policies are the same.
 * @throws {ImmutableFieldError} when they differ in what is fixed at construction.
 */
export function planPolicy(options: PlanOptions): Plan {
  const { now, knownFeeds = new Map(), pending = new Map() } = options;
  const [current, next] = [options.current.toPolicyCageConfig(), options.next.toPolicyCageConfig()];
  requireSameConstruction(current, next);

  let rules: KnownRules = { config: current, feeds: knownFeeds };
  let earliestAt = now;
  const take = (changes: readonly Change[], phase: PlanStep["phase"]) =>
    changes.map((change): PlanStep => {
      const { setter, args } = change;
      const former = rules.config;
      const call = encodeCageCall(setter, args);
      const tier = tierOf(change);
      rules = change.apply(rules);
      earliestAt = later(earliestAt, pending.get(call) ?? now + TIERS[tier]);

      return {
        setter,
        args,
        call,
        tier,
        delay: TIERS[tier],
        earliestAt,
        phase,
        differences: compareConfigs(former, rules.config),
        constitutionHash: constitutionHash(rules.config),
      };
    });
  const tightening = take(changesBetween(rules, meet(current, next)), "tightens");
  const steps = [...tightening, ...take(changesBetween(rules, next), "changes")];

  return { steps, constitutionHash: constitutionHash(next) };
}

function requireSameConstruction(current: PolicyCageConfig, next: PolicyCageConfig): void {
  const violations = IMMUTABLE_FIELDS.filter((field) => current[field] !== next[field]).map((field) => ({
    constraint: field,
    value: String(next[field]),
    allowed: String(current[field]),
  }));
  if (violations.length > 0) throw new ImmutableFieldError(violations);
}

function later(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

/** Calldata of a function of the cage. */
export function encodeCageCall(setter: string, args: readonly unknown[]): Hex {
  const item = policyCageAbi.find((entry) => entry.type === "function" && entry.name === setter);
  if (item === undefined) throw new TypeError(`The cage has no function ${setter}.`);

  return AbiFunction.encodeData(item as AbiFunction.AbiFunction, args);
}
