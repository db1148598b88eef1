// Written by `npm run generate`.

/** Code that stays on the chain. `start`: its byte offset in the creation code of a cage. `immutables`: by name, the byte offsets in it. */
export type RuntimeCode = {
  start: number;
  length: number;
  immutables: { readonly [name: string]: readonly number[] };
};

export const runtimeCode: Record<"PolicyCage" | "CagedAccount", RuntimeCode> = {
  PolicyCage: {"start":4177,"length":22635,"immutables":{"_cachedDomainSeparator":[20953],"_cachedChainId":[21142],"_cachedThis":[20899],"_hashedName":[21032],"_hashedVersion":[21070],"_name":[5226],"_version":[5268],"account":[1178,2421,2918,3169,3713,3886,4417,4934,5121,5556,6049,6504,6880,7533,8037,10520,10683,13116,14470,14730,14994,15234,16488],"enforcer":[2003,3452,7834,8442,9687,11121,11646],"_wrappedNative":[9862,11996,13156,13979,14078,14139,18436],"_sequencerFeed":[1224,2885,3209,3680,3926,4457,5087,6920,7573,10487,10723,12042,13196]}},
  CagedAccount: {"start":26886,"length":5140,"immutables":{"_cage":[230,734,845,1715,2755,3604]}},
};
