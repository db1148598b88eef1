import { type Address, erc20Abi, formatUnits, isAddressEqual, type PublicClient, parseAbi, zeroAddress } from "viem";
import { formatDuration } from "../../cage/format.ts";
import { NATIVE } from "../../policy/rules.ts";
import type { AssetConfig, PolicyCageConfig } from "../../policy/types.ts";

/** What a contract that a policy names says of itself. */
export type Fact = { subject: string; answer: string; isGood: boolean };

const feedAbi = parseAbi([
  "function description() view returns (string)",
  "function decimals() view returns (uint8)",
  "function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)",
]);

const sanctionsAbi = parseAbi(["function isSanctioned(address) view returns (bool)"]);

const MAX_DUST_USD = 1;

async function orElse<Answer>(question: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await question;
  } catch {
    return undefined;
  }
}

/** Asks every contract of a policy what it is, and whether a cage would take it now. */
export async function factsOf(reader: PublicClient, config: PolicyCageConfig): Promise<Fact[]> {
  const { timestamp } = await reader.getBlock();
  const code = (address: Address) => reader.getCode({ address });
  const assets = config.assets.map((row) => assetFact(reader, row, timestamp));
  const protocols = config.approvedProtocols.map(async (address): Promise<Fact> => {
    const isGood = (await code(address)) !== undefined;

    return { subject: `protocol ${address}`, answer: isGood ? "has code" : "has no code", isGood };
  });
  const contracts = await Promise.all([
    ...assets,
    ...protocols,
    oracleFact(reader, config.sanctionOracle),
    ...(config.hasSequencerFeed ? [sequencerFact(reader, config.sequencerFeed)] : []),
  ]);

  return contracts;
}

async function assetFact(reader: PublicClient, { asset, priceFeed }: AssetConfig, now: bigint): Promise<Fact> {
  const { feed, heartbeat, minAnswer, maxAnswer, dust } = priceFeed;
  const isNative = isAddressEqual(asset, NATIVE);
  const token = { abi: erc20Abi, address: asset } as const;
  const aggregator = { abi: feedAbi, address: feed } as const;
  const [symbol, decimals, description, feedDecimals, round] = await Promise.all([
    isNative ? "native" : orElse(reader.readContract({ ...token, functionName: "symbol" })),
    isNative ? 18 : orElse(reader.readContract({ ...token, functionName: "decimals" })),
    orElse(reader.readContract({ ...aggregator, functionName: "description" })),
    orElse(reader.readContract({ ...aggregator, functionName: "decimals" })),
    orElse(reader.readContract({ ...aggregator, functionName: "latestRoundData" })),
  ]);
  const subject = `asset ${asset}`;
  if (decimals === undefined) return { subject, answer: "is no token", isGood: false };
  if (feedDecimals === undefined || round === undefined) {
    return { subject, answer: `${symbol ?? "?"}; its feed ${feed} does not answer`, isGood: false };
  }

  const [, answer, , updatedAt] = round;
  const age = now > updatedAt ? now - updatedAt : 0n;
  const price = formatUnits(answer, feedDecimals);
  const dustUsd = Number(formatUnits(dust, decimals)) * Number(price);
  const said = `${symbol ?? "?"} at $${price}, ${description ?? "a feed without description"}, ${formatDuration(age)} old`;
  const wrong = [
    ...(answer < minAnswer || answer > maxAnswer ? ["outside its band"] : []),
    ...(age > BigInt(heartbeat) ? [`older than its heartbeat of ${formatDuration(heartbeat)}`] : []),
    ...(dustUsd > MAX_DUST_USD ? [`dust is worth $${dustUsd.toFixed(2)}`] : []),
  ];

  return { subject, answer: [said, ...wrong].join("; "), isGood: wrong.length === 0 };
}

async function oracleFact(reader: PublicClient, address: Address): Promise<Fact> {
  const question = { abi: sanctionsAbi, address, functionName: "isSanctioned", args: [zeroAddress] } as const;
  const answer = await orElse(reader.readContract(question));
  const isGood = answer !== undefined;

  return { subject: `sanctions oracle ${address}`, answer: isGood ? "answers" : "does not answer", isGood };
}

async function sequencerFact(reader: PublicClient, address: Address): Promise<Fact> {
  const round = await orElse(reader.readContract({ abi: feedAbi, address, functionName: "latestRoundData" }));
  const isGood = round !== undefined;
  const answer =
    round === undefined ? "does not answer" : round[1] === 0n ? "the sequencer is up" : "the sequencer is down";

  return { subject: `sequencer feed ${address}`, answer, isGood };
}
