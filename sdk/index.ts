export {
  type ApplyOptions,
  applyPolicy,
  type ChainPlan,
  type OwnerCall,
  type Progress,
  planOnChain,
  UnexpectedPolicyError,
} from "./cage/apply.ts";
export {
  ConstitutionMismatchError,
  type FieldDifference,
  readPolicy,
  verifyConstitution,
} from "./cage/boot.ts";
export { accountCall, type ChainCall, cageCall, submission } from "./cage/calls.ts";
export { checkPolicyOnChain } from "./cage/check-on-chain.ts";
export { type Deposited, type DepositOptions, deposit, depositCall } from "./cage/deposit.ts";
export { CageError, decodeCageError, revertDataOf } from "./cage/errors.ts";
export { type Explanation, explainTransaction } from "./cage/explain.ts";
export { formatDollars, formatDuration, formatPercent, formatTime } from "./cage/format.ts";
export { type CageEvent, type Range, readEvents } from "./cage/logs.ts";
export {
  type HighWaterMark,
  highWaterMarkTypedData,
  type MarkOptions,
  type MarkSigner,
  nextHighWaterMark,
  type SignedHighWaterMark,
  signHighWaterMark,
  submitHighWaterMark,
} from "./cage/mark.ts";
export { type PendingChange, pendingSince, readPending } from "./cage/pending.ts";
export { type Block, type CageSnapshot, type Headroom, NoCageError, readCage, type Session } from "./cage/reader.ts";
export { type Clients, sendCall } from "./cage/send.ts";
export { type Cursor, type WatchItem, type WatchOptions, watchCage } from "./cage/watch.ts";
export type { Release } from "./cage/window.ts";
export { type BuildResult, PolicyBuilder } from "./policy/builder.ts";
export { compareConfigs, type Difference } from "./policy/compare.ts";
export type { Constitution } from "./policy/constitution.ts";
export type { CustodyGap, CustodyTarget } from "./policy/custody/calls.ts";
export {
  type Caveat,
  type Delegation,
  type DelegationFramework,
  type DelegationOptions,
  type DelegationPolicy,
  encodeRedemption,
  type SignedDelegation,
} from "./policy/custody/delegation.ts";
export type { EmbeddedOptions, EmbeddedPolicy, PrivyPolicy } from "./policy/custody/embedded.ts";
export { CustodyRefusal, type LocalKeyOptions, type LocalKeyPolicy } from "./policy/custody/local-key.ts";
export type { PriceFeedInput, StrategyInput, TransferRestriction } from "./policy/draft.ts";
export { PolicyError } from "./policy/errors.ts";
export { formatPolicyFile, PolicyFileError, parsePolicyFile } from "./policy/file.ts";
export { type LossOptions, type WorstDailyLoss, worstDailyLoss } from "./policy/loss.ts";
export { ImmutableFieldError, type Plan, type PlanOptions, type PlanStep, planPolicy } from "./policy/plan.ts";
export { Policy } from "./policy/policy.ts";
export { formatUsdc, NATIVE, usdc } from "./policy/rules.ts";
export type { AssetConfig, PolicyCageConfig, PriceFeed, Roles, Strategy, Violation } from "./policy/types.ts";
