// Written by `npm run generate`.

/** Code that stays on the chain. `start`: its byte offset in the creation code of a cage. `immutables`: by name, the byte offsets in it. */
export type RuntimeCode = {
  start: number;
  length: number;
  immutables: { readonly [name: string]: readonly number[] };
};

export const runtimeCode: Record<"PolicyCage" | "CagedAccount", RuntimeCode> = {
  PolicyCage: {"start":4137,"length":22724,"immutables":{"_cachedDomainSeparator":[21047],"_cachedChainId":[21236],"_cachedThis":[20993],"_hashedName":[21126],"_hashedVersion":[21164],"_name":[4966],"_version":[5008],"account":[1185,1968,2386,2886,3137,3416,4290,4674,4861,5296,5759,6238,6593,7138,7436,7668,7947,9083,9960,10219,11158,12608,13926,14186,14450,14690,16062],"_wrappedNative":[9306,11554,12648,13435,13534,13595,18381],"_sequencerFeed":[1231,2853,3177,3688,3863,4330,4827,6633,7178,9927,10259,11600,12688]}},
  CagedAccount: {"start":26935,"length":5140,"immutables":{"_cage":[230,734,845,1715,2755,3638]}},
};
