import type { HardhatPlugin } from "hardhat/types/plugins";

/**
 * Fails a build on any compiler warning that points at the project's own Solidity, contracts and tests alike.
 * Dependencies are not ours to mend: their warnings are dropped.
 */
export const warningsAsErrors: HardhatPlugin = {
  id: "policycage-warnings-as-errors",
  hookHandlers: { solidity: () => import("./warnings-as-errors-hook.ts") },
};
