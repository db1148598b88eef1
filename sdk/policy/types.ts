import type { ContractConstructorArgs } from "viem";
import type { policyCageAbi } from "../abi/generated/policy-cage.ts";

type ConstructorArgs = ContractConstructorArgs<typeof policyCageAbi>;

/** Every rule field as the cage's constructor takes it. Lists are ascending; values are USDC with 6 decimals. */
export type PolicyCageConfig = ConstructorArgs[0];

/** Keys beside the policy: who owns the cage, who signs high-water marks, who may halt. Zero where there is none. */
export type Roles = ConstructorArgs[1];

export type AssetConfig = PolicyCageConfig["assets"][number];

export type PriceFeed = AssetConfig["priceFeed"];

export type Strategy = PolicyCageConfig["strategyWhitelist"][number];

/**
 * The rules of one cage as data: what the constructor takes, in the order of its lists. Made by a `PolicyBuilder`, a policy file or
 * by reading a cage; a value of this type satisfies every condition of the constructor that does not depend on the chain.
 */
export type Policy = { readonly [Field in keyof PolicyCageConfig]: PolicyCageConfig[Field] } & {
  readonly [checked]: true;
};

declare const checked: unique symbol;

/** A condition that a policy does not satisfy: which, with what, and what would. */
export type Violation = { constraint: string; value: string; allowed: string };
