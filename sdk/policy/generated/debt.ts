// Written by `npm run generate`.

/** Calls that open debt with one protocol and are harmless with others: no cage refuses them. */
export const debtFalseFriends: ReadonlyMap<string, string> = new Map([
  [
    "0x1b2ef1ca",
    "mint(uint256,uint256)"
  ],
  [
    "0xf3fef3a3",
    "withdraw(address,uint256)"
  ]
]);
