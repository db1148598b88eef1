// Written by `npm run generate`.

/** Code that stays on the chain. `start`: its byte offset in the creation code of a cage. `immutables`: by name, the byte offsets in it. */
export type RuntimeCode = {
  start: number;
  length: number;
  immutables: { readonly [name: string]: readonly number[] };
};

export const runtimeCode: Record<"PolicyCage" | "CagedAccount", RuntimeCode> = {
  PolicyCage: {"start":4164,"length":22719,"immutables":{"_cachedDomainSeparator":[21037],"_cachedChainId":[21226],"_cachedThis":[20983],"_hashedName":[21116],"_hashedVersion":[21154],"_name":[5053],"_version":[5095],"account":[1145,1971,2699,2950,3467,3673,4181,4773,4948,5383,5916,6404,6781,7309,7752,8173,10252,10446,12784,13053,14367,14719,15121,15404,16665],"_wrappedNative":[9594,11647,12824,13852,13951,14012,18574],"_sequencerFeed":[1191,2666,2990,3434,3640,4230,4914,6821,7349,10219,10413,11693,12864]}},
  CagedAccount: {"start":26957,"length":5140,"immutables":{"_cage":[230,734,845,1715,2755,3604]}},
};
