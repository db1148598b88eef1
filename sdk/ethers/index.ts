/** The contracts for users of ethers 6. */
export type { CagedAccount, PolicyCage, PolicyCageFactory } from "./generated/index.ts";
export { CagedAccount__factory, PolicyCage__factory, PolicyCageFactory__factory } from "./generated/index.ts";
