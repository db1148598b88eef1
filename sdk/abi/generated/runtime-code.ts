// Written by `npm run generate`.

/** Code that stays on the chain. `start`: its byte offset in the creation code of a cage. `immutables`: by name, the byte offsets in it. */
export type RuntimeCode = {
  start: number;
  length: number;
  immutables: { readonly [name: string]: readonly number[] };
};

export const runtimeCode: Record<"PolicyCage" | "CagedAccount", RuntimeCode> = {
  PolicyCage: {"start":4137,"length":22811,"immutables":{"_cachedDomainSeparator":[21134],"_cachedChainId":[21323],"_cachedThis":[21080],"_hashedName":[21213],"_hashedVersion":[21251],"_name":[5035],"_version":[5077],"account":[1185,1968,2432,2934,3185,3472,4361,4745,4930,5365,5828,6307,6666,7211,7512,7744,8021,9221,10091,10358,11288,12740,14011,14271,14535,14775,16214],"_wrappedNative":[9428,11684,12780,13566,13665,13726,18426],"_sequencerFeed":[1231,2901,3225,3746,3921,4401,4896,6706,7251,10058,10398,11730,12820]}},
  CagedAccount: {"start":27022,"length":5140,"immutables":{"_cage":[230,734,845,1715,2755,3638]}},
};
