import { erc20Abi, formatUnits, isAddressEqual, type PublicClient, parseAbi } from "viem";
import { formatDuration } from "../../../core/format.ts";
import { NATIVE } from "../../../core/units.ts";
import type { AssetConfig, PolicyCageConfig } from "../../../policy/model/types.ts";
import { plainText } from "../../../text/plain.ts";

const feedAbi = parseAbi([
  "function description() view returns (string)",
  "function decimals() view returns (uint8)",
  "function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)",
]);

async function orElse<Answer>(question: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await question;
  } catch {
    return undefined;
  }
}

/** What tokens and feeds of a policy say of themselves, for the owner's eyes: a line an asset. Judges nothing. */
export async function describeAssets(reader: PublicClient, { assets }: PolicyCageConfig): Promise<string[]> {
  const { timestamp } = await reader.getBlock();

  return Promise.all(assets.map((row) => describeAsset(reader, row, timestamp)));
}

async function describeAsset(reader: PublicClient, { asset, priceFeed }: AssetConfig, now: bigint): Promise<string> {
  const aggregator = { abi: feedAbi, address: priceFeed.feed } as const;
  const [symbol, description, decimals, round] = await Promise.all([
    isAddressEqual(asset, NATIVE)
      ? "native currency"
      : orElse(reader.readContract({ abi: erc20Abi, address: asset, functionName: "symbol" })),
    orElse(reader.readContract({ ...aggregator, functionName: "description" })),
    orElse(reader.readContract({ ...aggregator, functionName: "decimals" })),
    orElse(reader.readContract({ ...aggregator, functionName: "latestRoundData" })),
  ]);
  const name = `${asset}  ${plainText(symbol ?? "no token", 40)}`;
  if (decimals === undefined || round === undefined) return `${name}, without a price`;
  const [, answer, , updatedAt] = round;
  const price = formatUnits(answer, decimals);

  const source = description === undefined ? "its feed" : `"${plainText(description, 40)}"`;

  return `${name} at $${price}, by ${source} ${formatDuration(now - updatedAt)} ago`;
}
