// Written by `npm run generate`.

/** Code that stays on the chain. `start`: its byte offset in the creation code of a cage. `immutables`: by name, the byte offsets in it. */
export type RuntimeCode = {
  start: number;
  length: number;
  immutables: { readonly [name: string]: readonly number[] };
};

export const runtimeCode: Record<"PolicyCage" | "CagedAccount", RuntimeCode> = {
  PolicyCage: {"start":3533,"length":20509,"immutables":{"_cachedDomainSeparator":[18972],"_cachedChainId":[19161],"_cachedThis":[18918],"_hashedName":[19051],"_hashedVersion":[19089],"_name":[5823],"_version":[5865],"account":[1134,1958,2817,3550,4499,4698,4884,5398,6150,6672,7160,7537,8065,8355,8557,8804,9504,10920,12326,12498,13567,13973],"_wrappedNative":[9668,11295,12538,13254,13382,13432,17417],"_sequencerFeed":[1180,4465,4738,5447,7577,8105,8321,11341,12292,12578,13534]}},
  CagedAccount: {"start":24116,"length":5140,"immutables":{"_cage":[230,734,845,1715,2755,3638]}},
};
