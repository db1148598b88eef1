// Written by `npm run generate`.

/** Code that stays on the chain. `start`: its byte offset in the creation code of a cage. `immutables`: by name, the byte offsets in it. */
export type RuntimeCode = {
  start: number;
  length: number;
  immutables: { readonly [name: string]: readonly number[] };
};

export const runtimeCode: Record<"PolicyCage" | "CagedAccount", RuntimeCode> = {
  PolicyCage: {"start":4065,"length":22531,"immutables":{"_cachedDomainSeparator":[20854],"_cachedChainId":[21043],"_cachedThis":[20800],"_hashedName":[20933],"_hashedVersion":[20971],"_name":[4965],"_version":[5007],"account":[1115,1898,2362,2864,3115,3402,4291,4675,4860,5295,5758,6237,6596,7141,7442,7674,7951,9064,9934,10109,11022,12460,13731,13991,14255,14495,15934],"_wrappedNative":[9271,11404,12500,13286,13385,13446,18146],"_sequencerFeed":[1161,2831,3155,3676,3851,4331,4826,6636,7181,9901,10149,11450,12540]}},
  CagedAccount: {"start":26670,"length":5140,"immutables":{"_cage":[230,734,845,1715,2755,3638]}},
};
