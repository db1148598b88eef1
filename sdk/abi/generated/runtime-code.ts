// Written by `npm run generate`.

/** Code that stays on the chain. `start`: its byte offset in the creation code of a cage. `immutables`: by name, the byte offsets in it. */
export type RuntimeCode = {
  start: number;
  length: number;
  immutables: { readonly [name: string]: readonly number[] };
};

export const runtimeCode: Record<"PolicyCage" | "CagedAccount", RuntimeCode> = {
  PolicyCage: {"start":4065,"length":23245,"immutables":{"_cachedDomainSeparator":[21568],"_cachedChainId":[21757],"_cachedThis":[21514],"_hashedName":[21647],"_hashedVersion":[21685],"_name":[5181],"_version":[5223],"account":[1225,2050,2468,2968,3219,3498,4372,4889,5076,5511,6001,6485,6861,7531,7829,8061,8466,9688,10565,10728,11638,13150,14468,14728,14992,15232,16589],"_wrappedNative":[9911,12020,13190,13977,14076,14137,18902],"_sequencerFeed":[1271,2935,3259,3770,3945,4412,5042,6901,7571,10532,10768,12066,13230]}},
  CagedAccount: {"start":27384,"length":5140,"immutables":{"_cage":[230,734,845,1715,2755,3638]}},
};
