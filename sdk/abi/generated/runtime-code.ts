// Written by `npm run generate`.

/** Code that stays on the chain. `start`: its byte offset in the creation code of a cage. `immutables`: by name, the byte offsets in it. */
export type RuntimeCode = {
  start: number;
  length: number;
  immutables: { readonly [name: string]: readonly number[] };
};

export const runtimeCode: Record<"PolicyCage" | "CagedAccount", RuntimeCode> = {
  PolicyCage: {"start":4429,"length":23394,"immutables":{"_cachedDomainSeparator":[21712],"_cachedChainId":[21901],"_cachedThis":[21658],"_hashedName":[21791],"_hashedVersion":[21829],"_name":[5641],"_version":[5683],"account":[1196,1902,2692,3194,3424,3988,4177,4726,5121,5536,5971,6437,6891,7250,7795,8302,10642,10922,12703,14732,14992,15256,15496,16945,17144],"enforcer":[1942,2228,3717,5163,8099,8579,9789,11335,11860,12743,17184],"_wrappedNative":[1982,5203,9979,12227,12783,14285,14386,14447,17224,19153],"_sequencerFeed":[1242,2022,3161,3464,3955,4217,4766,5243,5502,7290,7835,10609,10962,12273,12823,17264]}},
  CagedAccount: {"start":27897,"length":5140,"immutables":{"_cage":[230,734,845,1715,2755,3604]}},
};
