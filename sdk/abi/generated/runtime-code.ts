// Written by `npm run generate`.

/** Code that stays on the chain. `start`: its byte offset in the creation code of a cage. `immutables`: by name, the byte offsets in it. */
export type RuntimeCode = {
  start: number;
  length: number;
  immutables: { readonly [name: string]: readonly number[] };
};

export const runtimeCode: Record<"PolicyCage" | "CagedAccount", RuntimeCode> = {
  PolicyCage: {"start":4352,"length":22546,"immutables":{"_cachedDomainSeparator":[20864],"_cachedChainId":[21053],"_cachedThis":[20810],"_hashedName":[20943],"_hashedVersion":[20981],"_name":[5172],"_version":[5214],"account":[1196,2443,2945,3196,3760,3949,4498,4882,5067,5502,5968,6418,6777,7322,7829,10169,10449,12810,14157,14417,14681,14921,16360],"enforcer":[1979,3489,7626,8106,9316,10862,11387,12850],"_wrappedNative":[9506,11754,12890,13712,13811,13872,18305],"_sequencerFeed":[1242,2912,3236,3727,3989,4538,5033,6817,7362,10136,10489,11800,12930]}},
  CagedAccount: {"start":26972,"length":5140,"immutables":{"_cage":[230,734,845,1715,2755,3604]}},
};
