// Written by `npm run generate`.

/** Code that stays on the chain. `start`: its byte offset in the creation code of a cage. `immutables`: by name, the byte offsets in it. */
export type RuntimeCode = {
  start: number;
  length: number;
  immutables: { readonly [name: string]: readonly number[] };
};

export const runtimeCode: Record<"PolicyCage" | "CagedAccount", RuntimeCode> = {
  PolicyCage: {"start":4053,"length":22915,"immutables":{"_cachedDomainSeparator":[21238],"_cachedChainId":[21427],"_cachedThis":[21184],"_hashedName":[21317],"_hashedVersion":[21355],"_name":[5109],"_version":[5151],"account":[1167,1992,2410,2907,3158,3433,4300,4817,5004,5439,5929,6413,6789,7442,7740,7972,8377,9597,10449,10612,11522,13021,14339,14599,14863,15103,16357],"_wrappedNative":[9795,11901,13061,13848,13947,14008,18572],"_sequencerFeed":[1213,2874,3198,3694,3869,4340,4970,6829,7482,10416,10652,11947,13101]}},
  CagedAccount: {"start":27042,"length":5140,"immutables":{"_cage":[230,734,845,1715,2755,3638]}},
};
