export type { AssetConfig, Policy, PolicyCageConfig, PriceFeed, Roles, Strategy, Violation } from "./policy/types.ts";
