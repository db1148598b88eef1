import fc from "fast-check";
import { type Address, getAddress, type Hex, zeroAddress } from "viem";
import { PolicyBuilder, type PriceFeedInput, type TransferRestriction } from "../../../../sdk/index.ts";
import { NATIVE, type NumericField, RULES } from "../../../../sdk/policy/rules.ts";
import { type Addresses, AGE_OF_PRICES, pricesOf } from "./world.ts";

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

const AUTHORITY: Hex[] = ["0x095ea7b3", "0xa9059cbb", "0xa22cb465", "0x5c19a95c"];

const anyAddress = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => getAddress(`0x${Buffer.from(bytes).toString("hex")}`));

const selector = fc
  .integer({ min: 0, max: 2 ** 32 - 1 })
  .map((value): Hex => `0x${value.toString(16).padStart(8, "0")}`);

/** `usual`, and once in `times` something else. */
function mostly<Value>(times: number, usual: fc.Arbitrary<Value>, rare: fc.Arbitrary<Value>): fc.Arbitrary<Value> {
  return fc.oneof({ weight: times - 1, arbitrary: usual }, { weight: 1, arbitrary: rare });
}

/** A number in its range, often at an end of it; rarely one outside, down to zero and up to what no type holds. */
function numberOf(field: NumericField, errors: number): fc.Arbitrary<bigint> {
  const { min, max } = RULES[field];
  const low = field === "maxAssetCount" ? 7n : min;
  const inside = fc.oneof(fc.bigInt({ min: low, max }), fc.constantFrom(low, max));
  const outside = fc.oneof(
    fc.constantFrom(max + 1n, min - 1n),
    fc.bigInt({ min: 0n, max: min }),
    fc.bigInt({ min: max, max: max * 3n }),
  );

  return errors === Infinity ? inside : mostly(errors, inside, outside);
}

function listOf<Value>(usual: readonly Value[], rare: fc.Arbitrary<Value>, errors: number): fc.Arbitrary<Value[]> {
  const good = fc.shuffledSubarray([...usual]);
  if (errors === Infinity) return good;
  const bad = fc.oneof(
    fc.tuple(good, fc.array(rare, { minLength: 1, maxLength: 2 })).map(([list, more]) => [...list, ...more]),
    good.map((list) => [...list, ...list.slice(0, 1)]),
  );

  return mostly(errors, good, bad);
}

function pricesArbitrary(world: Addresses, errors: number) {
  const prices = pricesOf(world);
  const rarely = <Value>(usual: fc.Arbitrary<Value>, rare: fc.Arbitrary<Value>) =>
    errors === Infinity ? usual : mostly(errors * 4, usual, rare);
  // One choice a feed: assets of one feed agree, as native currency and its wrapper must.
  const perFeed = fc.record({
    heartbeat: rarely(
      fc.integer({ min: 3_600, max: 2 ** 32 - 1 }),
      fc.constantFrom(0, 1, Number(AGE_OF_PRICES) - 100, Number(AGE_OF_PRICES) + 100),
    ),
    below: rarely(fc.bigInt({ min: 0n, max: 99n }), fc.constantFrom(-1n, 100n)),
    above: rarely(fc.bigInt({ min: 0n, max: 99n }), fc.constantFrom(-1n, -50n)),
    issuer: fc.constantFrom(undefined, ...world.protocols),
  });

  return fc.record({ one: perFeed, eth: perFeed, btc: perFeed, odd: perFeed }).chain((choices) =>
    fc.record(
      Object.fromEntries(
        [...prices].map(([asset, { feed, answer, dust }]) => {
          const name = (Object.keys(world.feeds) as (keyof typeof world.feeds)[]).find(
            (key) => world.feeds[key] === feed,
          );
          const input = fc
            .record({
              feed: rarely(fc.constant(feed), fc.constantFrom(...world.refusedFeeds)),
              choice: rarely(fc.constant(choices[name ?? "odd"]), fc.constant(choices.odd)),
              dust: rarely(fc.bigInt({ min: 0n, max: dust }), fc.constantFrom(dust + 1n, dust * 1_000n)),
            })
            .map(({ feed: chosen, choice, dust: amount }): PriceFeedInput => {
              const issuer = choice.issuer === undefined ? {} : { issuer: choice.issuer };
              const minAnswer = answer - (answer / 100n) * choice.below;
              const maxAnswer = answer + (answer / 100n) * choice.above;

              return { feed: chosen, heartbeat: choice.heartbeat, minAnswer, maxAnswer, dust: amount, ...issuer };
            });

          return [asset, input];
        }),
      ),
    ),
  );
}

/**
 * Random policies of `world`.
 * @param errors each part of a policy is wrong once in so many times; Infinity gives only policies that the world accepts.
 */
export function toldArbitrary(world: Addresses, errors = 40): fc.Arbitrary<Told> {
  const { tokens, wrappers, protocols, oracles, sequencers, people, refusedTokens } = world;
  const isGood = errors === Infinity;
  const rarely = <Value>(usual: fc.Arbitrary<Value>, rare: fc.Arbitrary<Value>) =>
    isGood ? usual : mostly(errors, usual, rare);
  const others = Object.values(tokens).filter((token) => token !== tokens.usdc);
  const numbers = Object.fromEntries(
    (Object.keys(RULES) as NumericField[]).map((field) => [field, numberOf(field, errors * 2)]),
  ) as Record<NumericField, fc.Arbitrary<bigint>>;

  return fc
    .record({
      prices: pricesArbitrary(world, errors),
      listed: listOf(others, fc.oneof(fc.constantFrom(...refusedTokens, ...people), anyAddress), errors),
      isBaseListed: rarely(fc.constant(true), fc.constant(false)),
      sellOnly: fc.array(fc.nat(20), { maxLength: 3 }),
      numbers: fc.record(numbers),
      restriction: fc.constantFrom<TransferRestriction>("none", "mainWallet", "clade"),
      mainWallet: rarely(
        fc.constant<Address | undefined>(people[0]),
        fc.constantFrom(undefined, zeroAddress, people[1]),
      ),
      cladeWallets: listOf(people.slice(1), fc.constantFrom(zeroAddress, people[0] ?? zeroAddress), errors),
      baseAsset: rarely(fc.constant(tokens.usdc), fc.constantFrom(NATIVE as Address, tokens.weth, tokens.wbtc)),
      wrappedNative: rarely(
        fc.constant(tokens.weth),
        fc.constantFrom<Address>(zeroAddress, NATIVE, people[2] ?? zeroAddress, ...wrappers),
      ),
      sequencerFeed: rarely(
        fc.constantFrom<Address | undefined>(undefined, ...sequencers),
        fc.constantFrom<Address>(zeroAddress, people[3] ?? zeroAddress),
      ),
      protocols: listOf(
        protocols,
        fc.oneof(anyAddress, fc.constantFrom<Address>(zeroAddress, tokens.weth, tokens.wbtc, people[0] ?? zeroAddress)),
        errors,
      ),
      pairs: fc.array(fc.record({ at: fc.nat(1_000), selector: rarely(selector, fc.constantFrom(...AUTHORITY)) }), {
        maxLength: 6,
      }),
      strayPair: rarely(fc.constant(undefined), fc.record({ protocol: anyAddress, function: selector })),
      bare: isGood ? fc.constant([]) : fc.array(rarely(selector, fc.constantFrom(...AUTHORITY)), { maxLength: 2 }),
      many: rarely(fc.constant(0), fc.integer({ min: 100, max: 140 })),
      allowArbitraryCalldata: fc.boolean(),
      sanctionOracle: rarely(fc.constantFrom(...oracles), fc.oneof(anyAddress, fc.constant(zeroAddress))),
      isSanctionsScreeningOn: fc.boolean(),
    })
    .map(({ prices, listed, isBaseListed, sellOnly, pairs, strayPair, bare, many, ...rest }): Told => {
      const some = prices[tokens.wbtc] as PriceFeedInput;
      const rows = [...(isBaseListed ? [tokens.usdc] : []), ...listed].map((asset, index) => ({
        asset,
        isSellOnly: (isGood ? asset !== tokens.usdc : true) && sellOnly.includes(index),
        priceFeed: prices[asset] ?? some,
      }));
      const first = rest.protocols[0];
      const chosen = pairs.flatMap(({ at, selector: name }) => {
        const protocol = rest.protocols[at % rest.protocols.length];

        return protocol === undefined ? [] : [{ protocol, function: name }];
      });
      const flood = Array.from({ length: first === undefined ? 0 : many }, (_, index) => ({
        protocol: first ?? zeroAddress,
        function: `0x${(index + 1).toString(16).padStart(8, "0")}` as Hex,
      }));
      const strategies = [...bare, ...chosen, ...flood, ...(strayPair === undefined ? [] : [strayPair])];

      return { ...rest, assets: rows, strategies };
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
    .maxTradeLossBps(small("maxTradeLossBps"));
  for (const { asset, priceFeed } of assets) builder = builder.priceFeed(asset, priceFeed);
  if (told.mainWallet !== undefined) builder = builder.mainWallet(told.mainWallet);
  if (told.sequencerFeed !== undefined) builder = builder.sequencerFeed(told.sequencerFeed);

  return builder;
}
