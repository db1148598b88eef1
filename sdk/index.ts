export { type BuildResult, PolicyBuilder } from "./policy/builder.ts";
export type { Constitution } from "./policy/constitution.ts";
export type { PriceFeedInput, StrategyInput, TransferRestriction } from "./policy/draft.ts";
export { PolicyError } from "./policy/errors.ts";
export { formatPolicyFile, PolicyFileError, parsePolicyFile } from "./policy/file.ts";
export { Policy } from "./policy/policy.ts";
export { formatUsdc, NATIVE, usdc } from "./policy/rules.ts";
export type { AssetConfig, PolicyCageConfig, PriceFeed, Roles, Strategy, Violation } from "./policy/types.ts";
