import fc from "fast-check";
import type { Address, Hex } from "viem";
import { PolicyBuilder, type PriceFeedInput, type TransferRestriction } from "../../../../sdk/index.ts";
import { type NumericField, RULES } from "../../../../sdk/policy/model/rules.ts";
import { type Addresses, pricesOf } from "./world.ts";

/** What a random builder is told. */
export type Told = {
  numbers: Record<NumericField, bigint>;
  restriction: TransferRestriction;
  mainWallet: Address | undefined;
  cladeWallets: Address[];
  baseAsset: Address;
  wrappedNative: Address;
  sequencerFeed: Address | undefined;
  assets: { asset: Address; isSellOnly: boolean; priceFeed: PriceFeedInput }[];
  protocols: Address[];
  strategies: (Hex | { protocol: Address; function: Hex })[];
  allowArbitraryCalldata: boolean;
  sanctionOracle: Address;
  isSanctionsScreeningOn: boolean;
};

const selector = fc
  .integer({ min: 1, max: 2 ** 32 - 1 })
  .map((value): Hex => `0x${value.toString(16).padStart(8, "0")}`);

/** A number in its range, often at an end of it. */
function numberOf(field: NumericField): fc.Arbitrary<bigint> {
  const { min, max } = RULES[field];
  // Six assets may be listed.
  const low = field === "maxAssetCount" ? 6n : min;

  return fc.oneof(fc.bigInt({ min: low, max }), fc.constantFrom(low, max));
}

/** A price feed of each asset. Assets of one feed agree in all but dust, as native currency and its wrapper must. */
function priceFeeds(world: Addresses): fc.Arbitrary<Record<Address, PriceFeedInput>> {
  const perFeed = fc.record({
    heartbeat: fc.integer({ min: 3_600, max: 2 ** 32 - 1 }),
    below: fc.bigInt({ min: 0n, max: 99n }),
    above: fc.bigInt({ min: 0n, max: 99n }),
    issuer: fc.constantFrom(undefined, ...world.protocols),
  });
  const feeds = new Set([...pricesOf(world).values()].map(({ feed }) => feed));

  return fc.record(Object.fromEntries([...feeds].map((feed) => [feed, perFeed]))).chain((choices) => {
    const inputs = [...pricesOf(world)].map(([asset, { feed, answer, dust }]) => {
      const { heartbeat, below, above, issuer } = choices[feed] ?? { heartbeat: 3_600, below: 0n, above: 0n };
      const input = fc.bigInt({ min: 0n, max: dust }).map(
        (amount): PriceFeedInput => ({
          feed,
          heartbeat,
          minAnswer: answer - (answer / 100n) * below,
          maxAnswer: answer + (answer / 100n) * above,
          dust: amount,
          ...(issuer === undefined ? {} : { issuer }),
        }),
      );

      return [asset, input] as const;
    });

    return fc.record(Object.fromEntries(inputs));
  });
}

/** Random policies that `world` accepts. */
export function toldArbitrary(world: Addresses): fc.Arbitrary<Told> {
  const { tokens, protocols, oracles, sequencers, people } = world;
  const others = Object.values(tokens).filter((token) => token !== tokens.usdc);
  const fields = Object.keys(RULES) as NumericField[];
  const numbers = Object.fromEntries(fields.map((field) => [field, numberOf(field)])) as Record<
    NumericField,
    fc.Arbitrary<bigint>
  >;

  return fc
    .record({
      feeds: priceFeeds(world),
      listed: fc.shuffledSubarray(others),
      sellOnly: fc.subarray(others),
      numbers: fc.record(numbers),
      restriction: fc.constantFrom<TransferRestriction>("none", "mainWallet", "clade"),
      mainWallet: fc.constant(people[0]),
      cladeWallets: fc.shuffledSubarray(people.slice(1, 5)),
      baseAsset: fc.constant(tokens.usdc),
      wrappedNative: fc.constant(tokens.weth),
      sequencerFeed: fc.constantFrom(undefined, ...sequencers),
      protocols: fc.shuffledSubarray(protocols.slice(0, 4)),
      pairs: fc.array(fc.record({ at: fc.nat(1_000), selector }), { maxLength: 6 }),
      allowArbitraryCalldata: fc.boolean(),
      sanctionOracle: fc.constantFrom(...oracles),
      isSanctionsScreeningOn: fc.boolean(),
    })
    .map(({ feeds, listed, sellOnly, pairs, ...rest }): Told => {
      const assets = [tokens.usdc, ...listed].flatMap((asset) => {
        const priceFeed = feeds[asset];

        return priceFeed === undefined ? [] : [{ asset, isSellOnly: sellOnly.includes(asset), priceFeed }];
      });
      const strategies = pairs.flatMap(({ at, selector: name }) => {
        const protocol = rest.protocols[at % rest.protocols.length];

        return protocol === undefined ? [] : [{ protocol, function: name }];
      });

      // A threshold and a delay, or neither.
      const isOff = rest.numbers.largeTradeValueUsdc === 0n || rest.numbers.largeTradeDelay === 0n;
      const off = isOff ? { largeTradeValueUsdc: 0n, largeTradeDelay: 0n } : {};

      return { ...rest, numbers: { ...rest.numbers, ...off }, assets, strategies };
    });
}

/** The builder that was told all of it. */
export function tell(told: Told): PolicyBuilder {
  const { numbers, assets } = told;
  const small = (field: NumericField) => Number(numbers[field]);
  let builder = new PolicyBuilder()
    .transferRestriction(told.restriction)
    .cladeWallets(told.cladeWallets)
    .baseAsset(told.baseAsset)
    .wrappedNative(told.wrappedNative)
    .approvedAssets(assets.filter(({ isSellOnly }) => !isSellOnly).map(({ asset }) => asset))
    .sellOnlyAssets(assets.filter(({ isSellOnly }) => isSellOnly).map(({ asset }) => asset))
    .approvedProtocols(told.protocols)
    .strategyWhitelist(told.strategies)
    .allowArbitraryCalldata(told.allowArbitraryCalldata)
    .sanctionOracle(told.sanctionOracle)
    .sanctionsScreening(told.isSanctionsScreeningOn)
    .maxAssetCount(small("maxAssetCount"))
    .maxPositionBps(small("maxPositionBps"))
    .maxPositions(small("maxPositions"))
    .maxConcentrationBps(small("maxConcentrationBps"))
    .minCollateralRatioBps(small("minCollateralRatioBps"))
    .drawdownThresholdBps(small("drawdownThresholdBps"))
    .maxDrawdownBps(small("maxDrawdownBps"))
    .drawdownWindow(small("drawdownWindow"))
    .minRebalanceInterval(small("minRebalanceInterval"))
    .maxRebalancesPerDay(small("maxRebalancesPerDay"))
    .perTransactionCapUsdc(numbers.perTransactionCapUsdc)
    .perSessionCapUsdc(numbers.perSessionCapUsdc)
    .perDayCapUsdc(numbers.perDayCapUsdc)
    .maxTradeLossBps(small("maxTradeLossBps"))
    .largeTrades({ valueUsdc: numbers.largeTradeValueUsdc, delay: small("largeTradeDelay") });
  for (const { asset, priceFeed } of assets) builder = builder.priceFeed(asset, priceFeed);
  if (told.mainWallet !== undefined) builder = builder.mainWallet(told.mainWallet);
  if (told.sequencerFeed !== undefined) builder = builder.sequencerFeed(told.sequencerFeed);

  return builder;
}
