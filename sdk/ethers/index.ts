/** The contracts for users of ethers 6. */
export type { CagedAccount, PolicyCage } from "./generated/index.ts";
export { CagedAccount__factory, PolicyCage__factory } from "./generated/index.ts";
