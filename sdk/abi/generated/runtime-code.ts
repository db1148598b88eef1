// Written by `npm run generate`.

/** Code that stays on the chain. `start`: its byte offset in the creation code of a cage. `immutables`: by name, the byte offsets in it. */
export type RuntimeCode = {
  start: number;
  length: number;
  immutables: { readonly [name: string]: readonly number[] };
};

export const runtimeCode: Record<"PolicyCage" | "CagedAccount", RuntimeCode> = {
  PolicyCage: {"start":3381,"length":21211,"immutables":{"_cachedDomainSeparator":[19046],"_cachedChainId":[19235],"_cachedThis":[18992],"_hashedName":[19125],"_hashedVersion":[19163],"_name":[5983],"_version":[6025],"account":[1121,1967,2236,3052,4471,4682,4974,5157,5691,6300,6854,7435,8431,8830,9023,9224,9652,10471,11794,13179,14215,14578],"_wrappedNative":[13900,14030,14080,17484],"_sequencerFeed":[1167,4437,5014,5740,8471,8989,13145,14182]}},
  CagedAccount: {"start":24666,"length":5066,"immutables":{"_cage":[230,734,845,1715,3247,3564]}},
};
