// Written by `npm run generate`.

/** Code that stays on the chain. `start`: its byte offset in the creation code of a cage. `immutables`: by name, the byte offsets in it. */
export type RuntimeCode = {
  start: number;
  length: number;
  immutables: { readonly [name: string]: readonly number[] };
};

export const runtimeCode: Record<"PolicyCage" | "CagedAccount", RuntimeCode> = {
  PolicyCage: {"start":3900,"length":22764,"immutables":{"_cachedDomainSeparator":[20699],"_cachedChainId":[20888],"_cachedThis":[20645],"_hashedName":[20778],"_hashedVersion":[20816],"_name":[5563],"_version":[5605],"account":[1145,1970,2353,3521,3772,4050,4868,5458,5893,6426,6914,7291,7819,8087,8319,9004,9848,10042,10880,12396,13689,15720,15928,16401,16592],"_wrappedNative":[9202,11259,12436,13283,13382,13443,18220],"_sequencerFeed":[1191,3488,3812,4301,4473,4917,5424,7331,7859,9815,10009,11305,12476]}},
  CagedAccount: {"start":26738,"length":5140,"immutables":{"_cage":[230,734,845,1715,2755,3638]}},
};
