import fc from "fast-check";
import { type Address, getAddress, type Hex, zeroAddress } from "viem";
import { Policy } from "../../../../sdk/index.ts";
import { tell, toldArbitrary } from "./arbitrary-policy.ts";
import type { PolicyWorld } from "./world.ts";

/** The policy of most of everything, 128 pairs at 32 protocols among it, and the same without a pair. */
export async function largestPolicies(world: PolicyWorld): Promise<[large: Policy, bare: Policy]> {
  const { chain, tokens, feeds, protocols, people } = world;
  const others: Address[] = [];
  for (const name of ["A", "B", "C", "D"])
    others.push(getAddress((await chain.deploy("MockERC20", [name, 18])).address));
  const feedOf = new Map<Address, Address>([
    [tokens.weth, feeds.eth],
    [tokens.native, feeds.eth],
    [tokens.wbtc, feeds.btc],
  ]);
  const ascending = <Item>(items: readonly Item[], key: (item: Item) => bigint) =>
    [...items].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  const approvedProtocols = ascending(protocols.slice(0, 32), BigInt);
  const [some] = fc.sample(toldArbitrary(world), { numRuns: 1, seed: 1 });
  if (some === undefined) throw new Error("There is no policy.");
  const bare = {
    ...tell({
      ...some,
      assets: some.assets.filter(({ asset }) => asset === tokens.usdc),
      protocols: [],
      strategies: [],
    })
      .build()
      .toPolicyCageConfig(),
    assets: ascending(
      [...Object.values(tokens), ...others].map((asset) => ({
        asset,
        isSellOnly: false,
        priceFeed: {
          feed: feedOf.get(asset) ?? feeds.one,
          heartbeat: 2 ** 32 - 1,
          minAnswer: 1n,
          maxAnswer: 2n ** 95n,
          dust: 0n,
          issuer: zeroAddress,
        },
      })),
      ({ asset }) => BigInt(asset),
    ),
    maxAssetCount: 10,
    approvedProtocols,
    hasMainWallet: false,
    mainWallet: zeroAddress,
    cladeWallets: ascending(people.slice(0, 16), BigInt),
  };
  const pairs = Array.from({ length: 128 }, (_, index) => ({
    protocol: approvedProtocols[index % 32] ?? zeroAddress,
    selector: `0x${(index + 1).toString(16).padStart(8, "0")}` as Hex,
  }));
  const strategyWhitelist = ascending(pairs, ({ protocol, selector }) => (BigInt(protocol) << 32n) | BigInt(selector));

  return [Policy.fromConfig({ ...bare, strategyWhitelist }), Policy.fromConfig({ ...bare, strategyWhitelist: [] })];
}
