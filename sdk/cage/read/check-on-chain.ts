import type { Address, Hex, PublicClient } from "viem";
import type { Policy } from "../../policy/model/policy.ts";
import { formatUsdc, NATIVE } from "../../policy/model/rules.ts";
import type { AssetConfig, PolicyCageConfig, Violation } from "../../policy/model/types.ts";

/** `decimals()` and `latestRoundData()`. */
const DECIMALS: Hex = "0x313ce567";
const LATEST_ROUND: Hex = "0xfeaf968c";

const MAX_DECIMALS = 36n;
/** The shutdown reserve is a count of the base asset's units. */
const BASE_DECIMALS = 6n;
const MAX_FEED_DECIMALS = 18n;
const MAX_DUST_USD = 1_000_000n;

/** The chain as it stood at the end of one block. */
type Chain = {
  timestamp: bigint;
  hasCode(address: Address): Promise<boolean>;
  /** The 32-byte words a call returns; none when it reverts or answers with less than one. */
  words(to: Address, data: Hex): Promise<bigint[]>;
};

/**
 * What other contracts must answer for a cage with this policy to deploy now: code where there must be code, decimals, a plausible
 * price of every asset, dust amounts of at most one dollar. Read at one block.
 * @param own addresses of the cage and account, where they exist: neither may stand in its own policy.
 * @returns violations, none when the constructor accepts the policy.
 */
export async function checkPolicyOnChain(
  policy: Policy,
  client: PublicClient,
  own: readonly Address[] = [],
): Promise<Violation[]> {
  const config = policy.toPolicyCageConfig();
  const chain = await chainAt(client);
  const found = await Promise.all([
    ...placesOfCode(config).map(([constraint, address]) => requireCode(chain, constraint, address)),
    ...config.assets.map((row) => requireAsset(chain, row, row.asset === config.baseAsset)),
  ]);

  return [...ownAddresses(config, own), ...found.flat()];
}

async function chainAt(client: PublicClient): Promise<Chain> {
  const { number: blockNumber, timestamp } = await client.getBlock();

  return {
    timestamp,
    async hasCode(address) {
      return (await client.getCode({ address, blockNumber })) !== undefined;
    },
    async words(to, data) {
      const answer = await callOrNothing(client, to, data, blockNumber);
      const words = answer.slice(2).match(/[0-9a-f]{64}/g) ?? [];

      return words.map((word) => BigInt(`0x${word}`));
    },
  };
}

async function callOrNothing(client: PublicClient, to: Address, data: Hex, blockNumber: bigint): Promise<Hex> {
  try {
    return (await client.call({ to, data, blockNumber })).data ?? "0x";
  } catch (error) {
    if (isUnreachable(error)) throw error;

    return "0x";
  }
}

const UNREACHABLE = /^(HttpRequest|WebSocketRequest|SocketClosed|Timeout|LimitExceededRpc)Error$/;

/** A contract that refuses is an answer; a node that can not be asked is none. */
function isUnreachable(error: unknown): boolean {
  return error instanceof Error && (UNREACHABLE.test(error.name) || isUnreachable(error.cause));
}

function placesOfCode(config: PolicyCageConfig): [string, Address][] {
  return [
    ["wrappedNative", config.wrappedNative],
    ["sanctionOracle", config.sanctionOracle],
    ...(config.hasSequencerFeed ? [["sequencerFeed", config.sequencerFeed] as [string, Address]] : []),
    ...config.approvedProtocols.map((protocol): [string, Address] => ["approvedProtocols", protocol]),
  ];
}

async function requireCode(chain: Chain, constraint: string, address: Address): Promise<Violation[]> {
  return (await chain.hasCode(address)) ? [] : [{ constraint, value: address, allowed: "a contract on this chain" }];
}

async function requireAsset(chain: Chain, { asset, priceFeed }: AssetConfig, isBase: boolean): Promise<Violation[]> {
  const path = `assets[${asset}]`;
  const [tokenWords, feedWords, round] = await Promise.all([
    asset === NATIVE ? [18n] : chain.words(asset, DECIMALS),
    chain.words(priceFeed.feed, DECIMALS),
    chain.words(priceFeed.feed, LATEST_ROUND),
  ]);
  const decimals = tokenWords[0];
  if (decimals === undefined || decimals > MAX_DECIMALS) {
    const value = decimals === undefined ? "no answer to decimals()" : `${decimals} decimals`;

    return [{ constraint: path, value, allowed: `a token of at most ${MAX_DECIMALS} decimals` }];
  }
  if (isBase && decimals !== BASE_DECIMALS) {
    return [
      { constraint: "baseAsset", value: `${decimals} decimals`, allowed: `a token of ${BASE_DECIMALS} decimals` },
    ];
  }
  const feedDecimals = feedWords[0];
  if (feedDecimals === undefined || feedDecimals > MAX_FEED_DECIMALS) {
    const value = feedDecimals === undefined ? `no answer of ${priceFeed.feed}` : `${feedDecimals} decimals`;

    return [
      { constraint: `${path}.priceFeed.feed`, value, allowed: `a feed of at most ${MAX_FEED_DECIMALS} decimals` },
    ];
  }

  const { answer, violation } = readRound(chain.timestamp, round, path, priceFeed);
  if (violation !== undefined) return [violation];
  const unit = 10n ** (feedDecimals + decimals);
  const dustUsd = (priceFeed.dust * answer * 1_000_000n + unit - 1n) / unit;
  if (dustUsd <= MAX_DUST_USD) return [];

  return [
    { constraint: `${path}.priceFeed.dust`, value: `worth ${formatUsdc(dustUsd)} USD`, allowed: "worth at most 1 USD" },
  ];
}

function readRound(
  timestamp: bigint,
  round: readonly bigint[],
  path: string,
  { heartbeat, minAnswer, maxAnswer }: AssetConfig["priceFeed"],
): { answer: bigint; violation?: Violation } {
  const [, word = 0n, , updatedAt = 0n] = round;
  const answer = BigInt.asIntN(256, word);
  const refuse = (field: string, value: string, allowed: string) => ({
    answer,
    violation: { constraint: `${path}.priceFeed.${field}`, value, allowed },
  });
  if (round.length < 5 || answer <= 0n) return refuse("feed", "no price", "a feed that answers with a price now");
  const age = timestamp - updatedAt;
  if (age < 0n) return refuse("feed", `a price dated ${-age} s ahead`, "a price that is not of the future");
  if (age > BigInt(heartbeat)) return refuse("heartbeat", `${heartbeat} s`, `at least the age of the price, ${age} s`);
  if (answer < minAnswer) return refuse("minAnswer", String(minAnswer), `at most the present answer ${answer}`);
  if (answer > maxAnswer) return refuse("maxAnswer", String(maxAnswer), `at least the present answer ${answer}`);

  return { answer };
}

function ownAddresses(config: PolicyCageConfig, own: readonly Address[]): Violation[] {
  const lists = {
    approvedProtocols: config.approvedProtocols,
    mainWallet: [config.mainWallet],
    cladeWallets: config.cladeWallets,
  };

  return Object.entries(lists).flatMap(([constraint, list]) =>
    list
      .filter((address) => own.includes(address))
      .map((value) => ({ constraint, value, allowed: "neither the cage nor its account" })),
  );
}
