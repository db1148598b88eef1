// Written by `npm run generate`.

/** Code that stays on the chain. `start`: its byte offset in the creation code of a cage. `immutables`: by name, the byte offsets in it. */
export type RuntimeCode = {
  start: number;
  length: number;
  immutables: { readonly [name: string]: readonly number[] };
};

export const runtimeCode: Record<"PolicyCage" | "CagedAccount", RuntimeCode> = {
  PolicyCage: {"start":4137,"length":22799,"immutables":{"_cachedDomainSeparator":[21122],"_cachedChainId":[21311],"_cachedThis":[21068],"_hashedName":[21201],"_hashedVersion":[21239],"_name":[5006],"_version":[5048],"account":[1156,1939,2403,2905,3156,3443,4332,4716,4901,5336,5799,6278,6637,7182,7483,7715,7992,9116,9986,10174,11106,12558,13952,14212,14476,14716,16155],"_wrappedNative":[9323,11502,12598,13384,13483,13544,18414],"_sequencerFeed":[1202,2872,3196,3717,3892,4372,4867,6677,7222,9953,10214,11548,12638]}},
  CagedAccount: {"start":27010,"length":5140,"immutables":{"_cage":[230,734,845,1715,2755,3638]}},
};
