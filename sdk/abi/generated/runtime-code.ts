// Written by `npm run generate`.

/** Code that stays on the chain. `start`: its byte offset in the creation code of a cage. `immutables`: by name, the byte offsets in it. */
export type RuntimeCode = {
  start: number;
  length: number;
  immutables: { readonly [name: string]: readonly number[] };
};

export const runtimeCode: Record<"PolicyCage" | "CagedAccount", RuntimeCode> = {
  PolicyCage: {"start":3416,"length":20093,"immutables":{"_cachedDomainSeparator":[18556],"_cachedChainId":[18745],"_cachedThis":[18502],"_hashedName":[18635],"_hashedVersion":[18673],"_name":[5685],"_version":[5727],"account":[1134,1958,2802,4361,4560,4746,5260,6012,6534,7022,7399,7927,8217,8419,8666,9351,10767,12173,12345,13414,13820],"_wrappedNative":[9515,11142,12385,13101,13229,13279,17150],"_sequencerFeed":[1180,4327,4600,5309,7439,7967,8183,11188,12139,12425,13381]}},
  CagedAccount: {"start":23583,"length":5135,"immutables":{"_cage":[230,734,845,1715,2755,3638]}},
};
