/** ABIs of the contracts, with every error that reaches a caller through them. */
export { cagedAccountAbi } from "./generated/caged-account.ts";
export { policyCageAbi } from "./generated/policy-cage.ts";
export { policyCageEnforcerAbi } from "./generated/policy-cage-enforcer.ts";
export { policyCageFactoryAbi } from "./generated/policy-cage-factory.ts";
export { policyCageHookAbi } from "./generated/policy-cage-hook.ts";
export { safePolicyGuardAbi } from "./generated/safe-policy-guard.ts";
