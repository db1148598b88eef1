import { type Address, toFunctionSelector, zeroAddress } from "viem";
import { localNetwork } from "../../../deploy/market.ts";
import { maxAgeOf, type NetworkParameters } from "../../../deploy/networks.ts";
import type { PolicyCageConfig } from "../../../sdk/policy/model/types.ts";

/** The default policy of a network: USDC and WETH, traded at its first protocol. */
export function configOf(network: NetworkParameters = localNetwork, mainWallet?: Address): PolicyCageConfig {
  const [protocol] = network.protocols;
  const asset = (address: Address, name: "usdc" | "eth", dust: bigint) => {
    const one = name === "usdc" ? 10n ** 8n : 2_000n * 10n ** 8n;

    return {
      asset: address,
      isSellOnly: false,
      priceFeed: {
        feed: network.feeds[name].address,
        heartbeat: maxAgeOf(network.feeds[name]),
        minAnswer: one / 100n,
        maxAnswer: one * 100n,
        dust,
        issuer: zeroAddress,
      },
    };
  };
  const assets = [asset(network.tokens.usdc, "usdc", 0n), asset(network.tokens.weth, "eth", 10n ** 13n)];

  return {
    assets: assets.sort((a, b) => (BigInt(a.asset) < BigInt(b.asset) ? -1 : 1)),
    maxAssetCount: 10,
    approvedProtocols: [protocol.address],
    strategyWhitelist: protocol.functions.map((signature) => ({
      protocol: protocol.address,
      selector: toFunctionSelector(signature),
    })),
    allowArbitraryCalldata: false,
    hasMainWallet: mainWallet !== undefined,
    mainWallet: mainWallet ?? zeroAddress,
    cladeWallets: [],
    maxPositionBps: 2_500,
    maxPositions: 10,
    maxConcentrationBps: 3_000,
    minCollateralRatioBps: 12_500,
    drawdownThresholdBps: 2_000,
    maxDrawdownBps: 1_300,
    drawdownWindow: 86_400,
    minRebalanceInterval: 0,
    maxRebalancesPerDay: 24,
    perTransactionCapUsdc: 10_000_000_000n,
    perSessionCapUsdc: 50_000_000_000n,
    perDayCapUsdc: 100_000_000_000n,
    maxTradeLossBps: 100,
    sanctionOracle: network.sanctionOracle,
    isSanctionsScreeningOn: true,
    baseAsset: network.tokens.usdc,
    wrappedNative: network.tokens.weth,
    hasSequencerFeed: false,
    sequencerFeed: zeroAddress,
  };
}
