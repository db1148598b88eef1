import type { Address } from "viem";
import { HOUR } from "../../core/units.ts";
import type { Effects, EvaluationState, Unreadable } from "./state.ts";
import { answerOf, type Row, type Table } from "./table.ts";
import { keyOf, type Violate } from "./violation.ts";

/** What is held of an asset; without a price it is not in play. The price is micro-USDC per whole asset, with 18 more decimals. */
export type Position = { balance: bigint; price: bigint };

/** What the account has before its calls. `basePrice` is USD per USDC with 6 decimals, rounded away from 1. */
export type Opening = { positions: readonly Position[]; nav: bigint; basePrice: bigint };

/** What the calls did: `Outcome` of the cage. `grown` are indexes of assets, ascending; `held` counts positions without the base asset. */
export type Outcome = {
  navBefore: bigint;
  navAfter: bigint;
  spent: bigint;
  grown: readonly number[];
  held: bigint;
  positions: readonly Position[];
};

const MAX_128 = 2n ** 128n - 1n;
const NOTHING: Position = { balance: 0n, price: 0n };

export function ceilDiv(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

/** Bounds of `Configuration.sol`: no cage lists an asset, or a feed, of more decimals. */
const MAX_DECIMALS = 36;
const MAX_FEED_DECIMALS = 18;

function within(decimals: number | Unreadable | undefined, max: number): number | undefined {
  return Number.isInteger(decimals) && Number(decimals) >= 0 && Number(decimals) <= max ? Number(decimals) : undefined;
}

function unitOf({ reading }: Row): bigint {
  return 10n ** BigInt(18 + (within(reading?.decimals, MAX_DECIMALS) ?? 0));
}

export function worthOf(row: Row, { balance, price }: Position): bigint {
  return price === 0n ? 0n : (balance * price) / unitOf(row);
}

function feedDecimalsOf({ reading }: Row): number | undefined {
  return within(reading?.feedDecimals, MAX_FEED_DECIMALS);
}

/** What `row` holds, or undefined when no cage could tell, or nobody can tell how many units are a whole. */
function balanceOf({ reading }: Row): bigint | undefined {
  if (reading === undefined || within(reading.decimals, MAX_DECIMALS) === undefined) return undefined;

  return reading.balance === "unreadable" || reading.balance > MAX_128 ? undefined : reading.balance;
}

/** `ChainlinkReader.isSequencerUp`. */
function isSequencerUp({ sequencer }: EvaluationState, now: bigint): boolean {
  if (sequencer === "unreadable" || sequencer.answer !== 0n) return false;
  if (sequencer.startedAt === 0n || sequencer.startedAt > now) return false;

  return now - sequencer.startedAt > HOUR;
}

/**
 * Values what is in play before the calls: `Valuation.measure`.
 * @param named indexes of assets in play whatever their balance.
 * @returns the first asset, in ascending order, whose balance or price cannot be read, where there is one.
 */
export function measure(
  { config, rows, base }: Table,
  { state, named, now }: { state: EvaluationState; named: ReadonlySet<number>; now: bigint },
): Opening | { unreadable: Address } {
  const hasPrices = !config.hasSequencerFeed || isSequencerUp(state, now);
  const baseRow = rows[base];
  const baseDecimals = baseRow && feedDecimalsOf(baseRow);
  if (baseRow === undefined || baseDecimals === undefined) return { unreadable: config.baseAsset };
  const baseAnswer = hasPrices ? answerOf(baseRow, now) : 0n;
  const priceOf = (row: Row): bigint => {
    const answer = answerOf(row, now);
    const decimals = feedDecimalsOf(row);
    if (decimals === undefined) return 0n;
    // Without a price of the base asset there is none at all, and the base asset is what cannot be read.
    if (baseAnswer === 0n) return answer;
    const price = (answer * 10n ** BigInt(24 + baseDecimals - decimals)) / baseAnswer;

    return price > MAX_128 ? 0n : price;
  };
  const positions: Position[] = [];
  let nav = 0n;
  for (const [index, row] of rows.entries()) {
    const balance = balanceOf(row);
    if (balance === undefined) return { unreadable: row.asset };
    if (balance <= row.dust && !named.has(index) && index !== base) {
      positions.push({ balance, price: 0n });
      continue;
    }
    const twin = row.twin !== undefined && row.twin < index ? positions[row.twin]?.price : 0n;
    const price = hasPrices ? twin || priceOf(row) : 0n;
    if (price === 0n) return { unreadable: row.asset };
    positions.push({ balance, price });
    nav += worthOf(row, { balance, price });
  }
  const unit = 10n ** BigInt(baseDecimals);
  const micro = baseAnswer * 1_000_000n;

  return { positions, nav, basePrice: baseAnswer > unit ? ceilDiv(micro, unit) : micro / unit };
}

/**
 * What the assets in play lost and gained, at the prices of the opening: `_measureOutcome` of the cage.
 * @returns undefined when a balance cannot be read, which is said.
 */
export function measureOutcome(
  { rows, base }: Table,
  opening: Opening,
  { balances, mayBar, violate }: { balances: Effects["balances"]; mayBar: boolean; violate: Violate },
): Outcome | undefined {
  const after = new Map((balances ?? []).map(({ asset, balance }) => [keyOf(asset), balance]));
  const outcome = { navBefore: 0n, navAfter: 0n, spent: 0n, grown: [] as number[], held: 0n };
  const positions: Position[] = [];
  for (const [index, row] of rows.entries()) {
    const former = opening.positions[index] ?? NOTHING;
    const isBarred = mayBar && row.isBarred;
    const isOutside = former.price === 0n;
    positions.push(NOTHING);
    if (isOutside && former.balance === 0n && !isBarred) continue;
    const found = after.get(keyOf(row.asset)) ?? "unreadable";
    if (found === "unreadable" || found > MAX_128) {
      violate(8, "PriceUnavailable", [row.asset]);

      return undefined;
    }
    const isLittle = isBarred && found > former.balance && found - former.balance <= row.dust;
    if (isOutside) {
      if (found < former.balance) violate(8, "UnnamedAssetFell", [row.asset, former.balance, found]);
      if (isBarred && found > former.balance && !isLittle) outcome.grown.push(index);
      continue;
    }

    if (index !== base && found > row.dust) outcome.held += 1n;
    // What little comes in of what may not be bought counts for nothing.
    const balance = isLittle ? former.balance : found;
    if (balance > former.balance) outcome.grown.push(index);
    const position = { balance, price: former.price };
    positions[index] = position;
    outcome.navBefore += worthOf(row, former);
    outcome.navAfter += worthOf(row, position);
    if (balance < former.balance) outcome.spent += ceilDiv((former.balance - balance) * former.price, unitOf(row));
  }

  return { ...outcome, positions };
}
