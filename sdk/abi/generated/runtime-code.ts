// Written by `npm run generate`.

/** Code that stays on the chain. `start`: its byte offset in the creation code of a cage. `immutables`: by name, the byte offsets in it. */
export type RuntimeCode = {
  start: number;
  length: number;
  immutables: { readonly [name: string]: readonly number[] };
};

export const runtimeCode: Record<"PolicyCage" | "CagedAccount", RuntimeCode> = {
  PolicyCage: {"start":4065,"length":22419,"immutables":{"_cachedDomainSeparator":[20742],"_cachedChainId":[20931],"_cachedThis":[20688],"_hashedName":[20821],"_hashedVersion":[20859],"_name":[4896],"_version":[4938],"account":[1115,1898,2316,2816,3067,3346,4220,4604,4791,5226,5689,6168,6523,7068,7366,7598,7877,8917,9794,9957,10867,12303,13621,13881,14145,14385,15757],"_wrappedNative":[9140,11249,12343,13130,13229,13290,18076],"_sequencerFeed":[1161,2783,3107,3618,3793,4260,4757,6563,7108,9761,9997,11295,12383]}},
  CagedAccount: {"start":26558,"length":5140,"immutables":{"_cage":[230,734,845,1715,2755,3638]}},
};
