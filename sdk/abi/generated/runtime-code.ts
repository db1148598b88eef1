// Written by `npm run generate`.

/** Code that stays on the chain. `start`: its byte offset in the creation code of a cage. `immutables`: by name, the byte offsets in it. */
export type RuntimeCode = {
  start: number;
  length: number;
  immutables: { readonly [name: string]: readonly number[] };
};

export const runtimeCode: Record<"PolicyCage" | "CagedAccount", RuntimeCode> = {
  PolicyCage: {"start":4171,"length":22859,"immutables":{"_cachedDomainSeparator":[21182],"_cachedChainId":[21371],"_cachedThis":[21128],"_hashedName":[21261],"_hashedVersion":[21299],"_name":[4927],"_version":[4969],"account":[1145,1970,2683,2934,3212,4055,4647,4822,5257,5790,6278,6655,7183,7451,7683,8088,9326,10178,10372,11238,12754,14096,14448,14850,15133,16394],"_wrappedNative":[9524,11617,12794,13581,13680,13741,18570],"_sequencerFeed":[1191,2650,2974,3470,3642,4104,4788,6695,7223,10145,10339,11663,12834]}},
  CagedAccount: {"start":27104,"length":5140,"immutables":{"_cage":[230,734,845,1715,2755,3638]}},
};
