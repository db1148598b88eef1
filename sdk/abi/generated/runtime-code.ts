// Written by `npm run generate`.

/** Code that stays on the chain. `start`: its byte offset in the creation code of a cage. `immutables`: by name, the byte offsets in it. */
export type RuntimeCode = {
  start: number;
  length: number;
  immutables: { readonly [name: string]: readonly number[] };
};

export const runtimeCode: Record<"PolicyCage" | "CagedAccount", RuntimeCode> = {
  PolicyCage: {"start":4261,"length":22505,"immutables":{"_cachedDomainSeparator":[20823],"_cachedChainId":[21012],"_cachedThis":[20769],"_hashedName":[20902],"_hashedVersion":[20940],"_name":[5148],"_version":[5190],"account":[1196,2443,2945,3196,3761,3934,4474,4858,5043,5478,5944,6394,6753,7298,7805,10136,10403,12809,14116,14376,14640,14880,16319],"enforcer":[1979,3490,7602,8082,9292,10861,11386],"_wrappedNative":[9473,11753,12849,13671,13770,13831,18264],"_sequencerFeed":[1242,2912,3236,3728,3974,4514,5009,6793,7338,10103,10443,11799,12889]}},
  CagedAccount: {"start":26840,"length":5140,"immutables":{"_cage":[230,734,845,1715,2755,3604]}},
};
