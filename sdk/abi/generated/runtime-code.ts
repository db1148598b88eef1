// Written by `npm run generate`.

/** Code that stays on the chain. `start`: its byte offset in the creation code of a cage. `immutables`: by name, the byte offsets in it. */
export type RuntimeCode = {
  start: number;
  length: number;
  immutables: { readonly [name: string]: readonly number[] };
};

export const runtimeCode: Record<"PolicyCage" | "CagedAccount", RuntimeCode> = {
  PolicyCage: {"start":4261,"length":22493,"immutables":{"_cachedDomainSeparator":[20811],"_cachedChainId":[21000],"_cachedThis":[20757],"_hashedName":[20890],"_hashedVersion":[20928],"_name":[5119],"_version":[5161],"account":[1167,2414,2916,3167,3732,3905,4445,4829,5014,5449,5915,6365,6724,7269,7776,10031,10219,12627,14057,14317,14581,14821,16260],"enforcer":[1950,3461,7573,8053,9187,10679,11204],"_wrappedNative":[9368,11571,12667,13489,13588,13649,18252],"_sequencerFeed":[1213,2883,3207,3699,3945,4485,4980,6764,7309,9998,10259,11617,12707]}},
  CagedAccount: {"start":26828,"length":5140,"immutables":{"_cage":[230,734,845,1715,2755,3604]}},
};
