// Written by `npm run generate`.

/** Code that stays on the chain. `start`: its byte offset in the creation code of a cage. `immutables`: by name, the byte offsets in it. */
export type RuntimeCode = {
  start: number;
  length: number;
  immutables: { readonly [name: string]: readonly number[] };
};

export const runtimeCode: Record<"PolicyCage" | "CagedAccount", RuntimeCode> = {
  PolicyCage: {"start":4060,"length":23069,"immutables":{"_cachedDomainSeparator":[21392],"_cachedChainId":[21581],"_cachedThis":[21338],"_hashedName":[21471],"_hashedVersion":[21509],"_name":[5263],"_version":[5305],"account":[1167,1992,2451,2841,3065,3316,3588,4445,4971,5158,5593,6083,6567,6943,7596,7894,8126,8531,9751,10603,10766,11676,13175,14493,14753,15017,15257,16511],"_wrappedNative":[9949,12055,13215,14002,14101,14162,18726],"_sequencerFeed":[1213,3032,3356,3849,4024,4494,5124,6983,7636,10570,10806,12101,13255]}},
  CagedAccount: {"start":27203,"length":5140,"immutables":{"_cage":[230,734,845,1715,2755,3638]}},
};
