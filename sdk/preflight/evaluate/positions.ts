import type { Address } from "viem";
import type { HoldingReading, KnownDebt, PositionReading } from "../../cage/read/positions.ts";
import { BPS, DAY } from "../../core/units.ts";
import { atLeastZero } from "./caps.ts";
import type { Unreadable } from "./state.ts";
import type { Row, Table } from "./table.ts";
import { keyOf } from "./violation.ts";

const MAX_128 = 2n ** 128n - 1n;
const RAY = 10n ** 27n;

const YEAR = 365n * DAY;

/** What one protocol keeps for the account, an entry for each asset of the table. */
export type Kept = { protocol: Address; entries: readonly HoldingReading[] };

/** What is owed of a row of a protocol, the rates it was read at, and how much of what is held counts as collateral. */
export type Debt = { owed: bigint; heldRate: bigint; debtRate: bigint; collateralBps: bigint };

/** Amount of the asset that is held, at most at the rate `most`, rounded down. */
export function heldOf({ heldShares, heldRate }: HoldingReading, most?: bigint): bigint {
  const rate = most !== undefined && most < heldRate ? most : heldRate;

  return (heldShares * rate) / RAY;
}

/** Amount of the asset that is owed, at least at the rate `least`, rounded up. */
export function owedOf({ debtShares, debtRate }: HoldingReading, least = 0n): bigint {
  const rate = least > debtRate ? least : debtRate;

  return (debtShares * rate + RAY - 1n) / RAY;
}

/** What is owed of `former`: at the higher rate, but what was repaid at the lower. `PositionLedger._owedAfter`. */
export function owedAfter(entry: HoldingReading, { owed: former, debtRate }: Debt): bigint {
  const owed = owedOf(entry, debtRate);
  if (owed >= former || entry.debtRate >= debtRate) return owed;

  return former - ((former - owed) * entry.debtRate) / debtRate;
}

/** Part of what is owed to a protocol in an asset that its cage knows of, with interest of 100 % a year: `PositionLedger._known`. */
export function knownOf(debts: readonly KnownDebt[], { protocol, asset, owed, now }: Owed): bigint {
  const found = debts.find((debt) => keyOf(debt.protocol) === keyOf(protocol) && keyOf(debt.asset) === keyOf(asset));
  if (found === undefined) return 0n;
  const { amount, countedAt } = found;
  const known = amount + (amount * atLeastZero(now - countedAt)) / YEAR;

  return known < owed ? known : owed;
}

type Owed = { protocol: Address; asset: Address; owed: bigint; now: bigint };

/**
 * What the valuers of the policy say, ascending by protocol: `PositionLedger._read`.
 * @returns the first protocol that cannot be read, where there is one.
 */
export function keptBy(
  { config, rows }: Table,
  readings: readonly PositionReading[] | undefined,
): readonly Kept[] | { silent: Address } {
  const known = new Map((readings ?? []).map(({ protocol, holdings }) => [keyOf(protocol), holdings]));
  const kept: Kept[] = [];
  for (const { protocol } of config.valuers) {
    const entries: readonly HoldingReading[] | Unreadable = known.get(keyOf(protocol)) ?? "unreadable";
    if (entries === "unreadable" || entries.length !== rows.length || !entries.every(makesSense)) {
      return { silent: protocol };
    }
    kept.push({ protocol, entries });
  }

  return kept;
}

/** Shares, rates and the amounts they make have 128 bits, and no more counts as collateral than is held. */
function makesSense(entry: HoldingReading): boolean {
  const { heldShares, heldRate, debtShares, debtRate, collateralBps } = entry;
  const numbers = [heldShares, heldRate, debtShares, debtRate, heldOf(entry), owedOf(entry)];

  return numbers.every((number) => number >= 0n && number <= MAX_128) && collateralBps >= 0n && collateralBps <= BPS;
}

/** Assets that are priced for what protocols hold and are owed, by index. */
export function pricedFor({ rows }: Table, kept: readonly Kept[]): Set<number> {
  const priced = new Set<number>();
  for (const { entries } of kept) {
    for (const [index, entry] of entries.entries()) {
      if (heldOf(entry) > (rows[index]?.dust ?? 0n) || entry.debtShares !== 0n) priced.add(index);
    }
  }

  return priced;
}

/** The rows of a table, and behind them every asset again for each valuer: `PolicyTable.withPositions`. */
export function withPositions(table: Table): Table {
  const { config, rows } = table;
  const held = config.valuers.flatMap(({ protocol }) =>
    rows.map((row): Row => ({ ...row, bearer: keyOf(protocol), twin: undefined })),
  );

  return held.length === 0 ? table : { ...table, rows: [...rows, ...held] };
}
