import { readFileSync } from "node:fs";
import fc from "fast-check";
import { type Address, type Hex, toFunctionSelector, zeroAddress } from "viem";
import { NATIVE } from "../../../../sdk/core/units.ts";
import type { PriceFeedInput } from "../../../../sdk/index.ts";
import { type NumericField, RULES } from "../../../../sdk/policy/model/rules.ts";
import { type Told, toldArbitrary } from "./arbitrary-policy.ts";
import { AGE_OF_PRICES, type PolicyWorld, pricesOf } from "./world.ts";

/** A change of a good policy at an edge of what is allowed: some break it, some do not. `dice` chooses between its variants. */
type Fault = (told: Told, world: PolicyWorld, dice: number) => Told;

function pick<Value>(values: readonly [Value, ...Value[]], dice: number): Value {
  return values[dice % values.length] ?? values[0];
}

type Row = Told["assets"][number];

/** A row for `asset`, at the price it has in the world. */
function rowOf(world: PolicyWorld, asset: Address): Row {
  const { feed, answer } = pricesOf(world).get(asset) ?? { feed: world.feeds.one, answer: 10n ** 8n };
  const priceFeed = { feed, heartbeat: 2 ** 32 - 1, minAnswer: answer, maxAnswer: answer };

  return { asset, isSellOnly: false, priceFeed };
}

function withRow(told: Told, row: Row): Told {
  return { ...told, assets: [...told.assets.filter(({ asset }) => asset !== row.asset), row] };
}

/** `told` with something else in the price feed of its first asset, USDC. */
function withBaseFeed(told: Told, change: Partial<PriceFeedInput>): Told {
  const [base, ...others] = told.assets;
  if (base === undefined) return told;

  return { ...told, assets: [{ ...base, priceFeed: { ...base.priceFeed, ...change } }, ...others] };
}

function pairsOf(protocol: Address, count: number) {
  return Array.from({ length: count }, (_, index) => ({
    protocol,
    function: `0x${(index + 1).toString(16).padStart(8, "0")}` as Hex,
  }));
}

const AUTHORITY: readonly Hex[] = ["0x095ea7b3", "0xa9059cbb", "0xa22cb465", "0x5c19a95c"];

/** Every call that opens debt or may hide one, as the lists' own source has it. */
const DEBT: readonly Hex[] = (JSON.parse(readFileSync("contracts/debt-selectors.json", "utf8")) as string[]).map(
  (signature) => toFunctionSelector(signature),
);

const ANSWER = 10n ** 8n;

const FAULTS: Record<string, Fault> = {
  numberAtAnEdge(told, _world, dice) {
    const fields = Object.keys(RULES) as [NumericField, ...NumericField[]];
    const field = pick(fields, dice);
    const { min, max } = RULES[field];
    const value = pick([min, max, min - 1n, max + 1n, 0n, max * 3n], Math.floor(dice / fields.length));

    return { ...told, numbers: { ...told.numbers, [field]: value } };
  },
  assetCount(told, _world, dice) {
    const count = BigInt(told.assets.length + (dice % 2) - 1);

    return { ...told, numbers: { ...told.numbers, maxAssetCount: count } };
  },
  recipientCount(told, { people }, dice) {
    const count = 14 + (dice % 4);
    const mainWallet = pick([people[0], undefined], Math.floor(dice / 4));

    return { ...told, restriction: "clade", mainWallet, cladeWallets: people.slice(1, 1 + count) };
  },
  strangeRecipient(told, { people }, dice) {
    const [main = zeroAddress, clade = zeroAddress] = people;
    const wallets = pick([[main], [zeroAddress], [clade, clade], [clade]], dice);

    return { ...told, restriction: "clade", mainWallet: main, cladeWallets: wallets };
  },
  mainWallet(told, _world, dice) {
    const restriction = pick(["mainWallet", "clade", "none"] as const, dice);

    return { ...told, restriction, mainWallet: pick([undefined, zeroAddress], Math.floor(dice / 3)) };
  },
  protocolCount(told, { protocols }, dice) {
    return { ...told, protocols: protocols.slice(0, 31 + (dice % 3)) };
  },
  strangeProtocol(told, { tokens, people, protocols }, dice) {
    const [first = zeroAddress] = protocols;
    const candidates = [tokens.weth, tokens.wbtc, tokens.usdc, people[0] ?? zeroAddress, zeroAddress, first] as const;
    const protocol = pick(candidates, dice);
    const isUnlisted = Math.floor(dice / candidates.length) % 2 === 0;
    const assets = told.assets.filter(({ asset }) => !isUnlisted || asset !== protocol);

    return { ...told, assets, protocols: [first, ...told.protocols.filter((one) => one !== first), protocol] };
  },
  pairCount(told, { protocols }, dice) {
    const [protocol = zeroAddress] = protocols;

    return { ...told, protocols: [protocol], strategies: pairsOf(protocol, 127 + (dice % 3)) };
  },
  strangePair(told, { protocols, people }, dice) {
    const [protocol = zeroAddress] = protocols;
    const stray = people[0] ?? zeroAddress;
    const isDebt = dice % 2 === 0;
    const name = pick((isDebt ? DEBT : AUTHORITY) as [Hex, ...Hex[]], Math.floor(dice / 2));
    const strategies = pick(
      [
        [{ protocol, function: name }],
        [name],
        [{ protocol: stray, function: "0x12345678" as Hex }],
        ["0x12345678" as Hex],
      ],
      Math.floor(dice / 8),
    );

    return { ...told, protocols: [protocol], strategies };
  },
  twins(told, world, dice) {
    const { tokens, protocols } = world;
    const wrapped = rowOf(world, tokens.weth);
    const { minAnswer, maxAnswer, heartbeat } = wrapped.priceFeed;
    const changes: [Partial<PriceFeedInput>, ...Partial<PriceFeedInput>[]] = [
      { dust: 1n },
      { heartbeat: heartbeat - 1 },
      { minAnswer: minAnswer - 1n },
      { maxAnswer: maxAnswer + 1n },
      { issuer: protocols[0] ?? zeroAddress },
      { feed: world.feeds.sameAsEth },
    ];
    const native = { ...wrapped, asset: tokens.native, priceFeed: { ...wrapped.priceFeed, ...pick(changes, dice) } };

    return withRow(withRow(told, wrapped), native);
  },
  baseAsset(told, world, dice) {
    const { tokens } = world;
    const base = pick([tokens.weth, NATIVE as Address, tokens.wbtc, tokens.dai], dice);
    const listed = withRow(told, rowOf(world, base));

    return { ...(dice % 8 < 4 ? listed : told), baseAsset: base };
  },
  baseRow(told, { tokens }, dice) {
    const rest = told.assets.filter(({ asset }) => asset !== tokens.usdc);
    const sellOnly = told.assets.map((row) => ({ ...row, isSellOnly: true }));

    return { ...told, assets: pick([rest, sellOnly, [...told.assets, ...told.assets.slice(0, 1)], []], dice) };
  },
  token(told, world, dice) {
    return withRow(told, rowOf(world, pick([...world.oddTokens, world.people[0] ?? zeroAddress], dice)));
  },
  feed(told, world, dice) {
    const { feed, minAnswer, maxAnswer } = pick(world.oddFeeds, dice);

    return withBaseFeed(told, { feed, minAnswer, maxAnswer, dust: 0n });
  },
  band(told, _world, dice) {
    const edges: [bigint, bigint][] = [
      [ANSWER, ANSWER],
      [ANSWER + 1n, ANSWER * 2n],
      [1n, ANSWER - 1n],
      [0n, ANSWER],
      [ANSWER + 1n, ANSWER],
    ];
    const [minAnswer, maxAnswer] = pick(edges as [[bigint, bigint], ...[bigint, bigint][]], dice);

    return withBaseFeed(told, { minAnswer, maxAnswer });
  },
  heartbeat(told, _world, dice) {
    const age = Number(AGE_OF_PRICES);

    return withBaseFeed(told, { heartbeat: pick([0, 1, age - 100, age + 2_000, 2 ** 32 - 1, 2 ** 32], dice) });
  },
  dust(told, _world, dice) {
    return withBaseFeed(told, { dust: pick([1_000_000n, 1_000_001n, 2n ** 128n - 1n, 2n ** 128n], dice) });
  },
  sanctionOracle(told, { people }, dice) {
    return { ...told, sanctionOracle: pick([zeroAddress, people[0] ?? zeroAddress], dice) };
  },
  sequencerFeed(told, { people, sequencers }, dice) {
    return { ...told, sequencerFeed: pick([zeroAddress, people[0], sequencers[0]], dice) };
  },
  wrappedNative(told, { people, tokens }, dice) {
    return {
      ...told,
      wrappedNative: pick([zeroAddress, NATIVE as Address, people[0] ?? zeroAddress, tokens.dai], dice),
    };
  },
};

/** Random policies with none, one or two faults. */
export function faultyArbitrary(world: PolicyWorld): fc.Arbitrary<Told> {
  const fault = fc.record({ name: fc.constantFrom(...Object.keys(FAULTS)), dice: fc.nat(10_000) });
  const faults = fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 6, arbitrary: fc.tuple(fault) },
    { weight: 2, arbitrary: fc.tuple(fault, fault) },
  );

  return fc
    .tuple(toldArbitrary(world), faults)
    .map(([told, chosen]) => chosen.reduce((next, { name, dice }) => FAULTS[name]?.(next, world, dice) ?? next, told));
}
