// Written by `npm run generate`.

/** Code that stays on the chain. `start`: its byte offset in the creation code of a cage. `immutables`: by name, the byte offsets in it. */
export type RuntimeCode = {
  start: number;
  length: number;
  immutables: { readonly [name: string]: readonly number[] };
};

export const runtimeCode: Record<"PolicyCage" | "CagedAccount", RuntimeCode> = {
  PolicyCage: {"start":4171,"length":22941,"immutables":{"_cachedDomainSeparator":[20876],"_cachedChainId":[21065],"_cachedThis":[20822],"_hashedName":[20955],"_hashedVersion":[20993],"_name":[5740],"_version":[5782],"account":[1145,1970,2353,3521,3772,4050,4868,5460,5635,6070,6603,7091,7468,7996,8264,8496,9181,10025,10219,11057,12573,13866,15897,16105,16578,16769],"_wrappedNative":[9379,11436,12613,13460,13559,13620,18397],"_sequencerFeed":[1191,3488,3812,4301,4473,4917,5601,7508,8036,9992,10186,11482,12653]}},
  CagedAccount: {"start":27186,"length":5140,"immutables":{"_cage":[230,734,845,1715,2755,3638]}},
};
