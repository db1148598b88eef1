// Written by `npm run generate`.

/** Code that stays on the chain. `start`: its byte offset in the creation code of a cage. `immutables`: by name, the byte offsets in it. */
export type RuntimeCode = {
  start: number;
  length: number;
  immutables: { readonly [name: string]: readonly number[] };
};

export const runtimeCode: Record<"PolicyCage" | "CagedAccount", RuntimeCode> = {
  PolicyCage: {"start":3423,"length":20298,"immutables":{"_cachedDomainSeparator":[18761],"_cachedChainId":[18950],"_cachedThis":[18707],"_hashedName":[18840],"_hashedVersion":[18878],"_name":[5875],"_version":[5917],"account":[1134,1958,2823,3585,4551,4750,4936,5450,6202,6724,7212,7589,8117,8407,8609,8856,9556,10972,12378,12550,13619,14025],"_wrappedNative":[9720,11347,12590,13306,13434,13484,17355],"_sequencerFeed":[1180,4517,4790,5499,7629,8157,8373,11393,12344,12630,13586]}},
  CagedAccount: {"start":23795,"length":5135,"immutables":{"_cage":[230,734,845,1715,2755,3638]}},
};
