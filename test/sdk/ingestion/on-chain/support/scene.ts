import { type Address, getContract, parseAbi } from "viem";
import { by, person, startChain } from "../../../../../scripts/local/chain.ts";
import { marketOf } from "../../../../../scripts/local/market.ts";
import { deployWorld, ether, usdc } from "../../../../../scripts/local/world.ts";
import { onChainLayer } from "../../../../../sdk/ingestion/consensus/on-chain/layer.ts";
import type { OnChainReader } from "../../../../../sdk/ingestion/consensus/on-chain/reader.ts";
import type { ChainRegistry } from "../../../../../sdk/ingestion/consensus/on-chain/registry.ts";
import { onChainReader } from "../../../../../sdk/ingestion/consensus/on-chain/viem-reader.ts";
import type { LayerVote } from "../../../../../sdk/ingestion/entry.ts";

const V2_FACTORY = parseAbi([
  "function createPair(address a, address b) returns (address)",
  "function getPair(address a, address b) view returns (address)",
]);
const V2_PAIR = parseAbi(["function sync()"]);
const V3_FACTORY = parseAbi(["function getPool(address a, address b, uint24 fee) view returns (address)"]);

export const CHAIN_ID = 31_337;
/** Blocks that must stand on a claimed one. */
const CONFIRMATIONS = 12;

export type Scene = Awaited<ReturnType<typeof playScene>>;

/**
 * A chain on which something happens between the blocks `early` and `late`: the holder sends most of what it has away, 1 000 WETH are
 * sold to the V3 pool, the V2 pair and the vault get more.
 */
export async function playScene() {
  const world = await deployWorld(await startChain());
  const { chain, tokens, people, uniswap } = world;
  const holder = person("holder");
  const vault = await chain.deploy("MockVault", [tokens.usdc.address]);
  const pool = await chain.public.readContract({
    abi: V3_FACTORY,
    address: uniswap.factory,
    functionName: "getPool",
    args: [tokens.usdc.address, tokens.weth.address, 500],
  });
  const v2 = await openPair();

  async function openPair(): Promise<{ factory: Address; pair: Address }> {
    const address = await chain.deployPublished("UniswapV2Factory", [chain.deployer.address]);
    const factory = getContract({ abi: V2_FACTORY, address, client: chain.client });
    const pairOf = [tokens.usdc.address, tokens.weth.address] as const;
    await chain.done(factory.write.createPair(pairOf, by(chain.deployer)));

    return { factory: address, pair: await factory.read.getPair(pairOf) };
  }

  async function fund(target: Address, amounts: { usdc: bigint; weth: bigint }): Promise<void> {
    await world.mint("usdc", target, amounts.usdc);
    await world.mint("weth", target, amounts.weth);
  }

  async function sync(): Promise<void> {
    const pair = getContract({ abi: V2_PAIR, address: v2.pair, client: chain.client });
    await chain.done(pair.write.sync(by(chain.deployer)));
  }

  await world.mint("usdc", holder.address, usdc(1_250_000));
  await world.mint("native", holder.address, ether("3.2"));
  await fund(v2.pair, { usdc: usdc(1_000_000), weth: ether(500) });
  await sync();
  await world.mint("usdc", vault.address, usdc(5_000_000));
  await chain.travel(12n);
  const early = await chain.public.getBlockNumber();

  const elsewhere = people.cladeWallet.address;
  await chain.done(tokens.usdc.write.transfer([elsewhere, usdc(850_000)], by(holder)));
  await chain.done(chain.wallet.sendTransaction({ ...by(holder), to: elsewhere, value: ether("2.2") }));
  await world.mint("weth", people.attacker.address, ether(1_000));
  await marketOf(world).swap([tokens.weth.address, 500, tokens.usdc.address], ether(1_000), people.attacker);
  await fund(v2.pair, { usdc: usdc(500_000), weth: 0n });
  await sync();
  await world.mint("usdc", vault.address, usdc(1_000_000));
  const late = await chain.public.getBlockNumber();
  await confirm();

  /** Puts enough blocks on what happened. */
  async function confirm(): Promise<bigint> {
    const block = await chain.public.getBlockNumber();
    await chain.test.mine({ blocks: CONFIRMATIONS });

    return block;
  }

  const registry: ChainRegistry = {
    chainId: CHAIN_ID,
    names: ["Base"],
    nativeSymbol: "ETH",
    tokens: [
      { symbol: "USDC", address: tokens.usdc.address },
      { symbol: "WETH", address: tokens.weth.address },
      { symbol: "WBTC", address: tokens.wbtc.address },
    ],
    dollarSymbol: "USDC",
    exchanges: [
      { name: "Uniswap V3", kind: "uniswap_v3", factory: uniswap.factory },
      { name: "Uniswap V2", kind: "uniswap_v2", factory: v2.factory },
    ],
    vaults: [vault.address],
  };
  const reader = onChainReader({ chainId: CHAIN_ID, clients: [chain.client.public] });

  return { world, holder: holder.address, vault: vault.address, pool, v2, early, late, registry, reader, confirm };
}

/** The layer's vote on a text. */
export function voteOn(
  content: string,
  registry: ChainRegistry,
  ...readers: readonly OnChainReader[]
): Promise<LayerVote> {
  const candidate = { id: "1", entryType: "insight", author: "1/1", vector: new Float32Array(1) } as const;

  return onChainLayer({ registries: [registry], readers }).vote({ ...candidate, content });
}
