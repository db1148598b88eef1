import * as AbiParameters from "ox/AbiParameters";
import * as Hash from "ox/Hash";
import type { Hex } from "viem";
import type { Trade } from "../../cage/write/calls.ts";
import { callOf, innerCalls } from "./multicall.ts";
import type { EvaluationState } from "./state.ts";
import type { Table } from "./table.ts";
import { costOf, MAX_128, type Opening } from "./valuation.ts";
import type { Violate } from "./violation.ts";

const TRADE = AbiParameters.from([
  "struct Input { address asset; uint256 maxAmount }",
  "address protocol, bytes4[] selectors, uint256 value, Input[] inputs, address[] outputs",
]);
const WHOLE = AbiParameters.from("uint256 sessionId, bytes32[] trades");

/**
 * What trades of a session are announced by: `LargeTrades.idOf` of the cage. Of a call it tells the selector, and of a multicall those of
 * its inner calls; its other arguments are free.
 */
export function announcementId(sessionId: bigint, trades: readonly Trade[]): Hex {
  const hashes = trades.map(({ protocol, data, value, inputs, outputs }) =>
    Hash.keccak256(AbiParameters.encode(TRADE, [protocol, selectorsOf(data), value, inputs, outputs])),
  );

  return Hash.keccak256(AbiParameters.encode(WHOLE, [sessionId, hashes]));
}

function selectorsOf(data: Hex): Hex[] {
  // One that does not lie inside the calldata never runs.
  return [callOf(data).selector, ...[...innerCalls(data)].map((call) => call?.selector ?? "0x00000000")];
}

type Judged = {
  trades: readonly Trade[];
  state: EvaluationState;
  opening: Opening;
  outcome: { spent: bigint };
  now: bigint;
  violate: Violate;
};

/** The last of check 8, where the policy has a threshold. */
export function checkLargeTrades(table: Table, { trades, state, opening, outcome, now, violate }: Judged): void {
  const { largeTradeValueUsdc: threshold } = table.config;
  if (threshold === 0n) return;
  const declared = declaredBy(table, { trades, opening });
  const value = declared > outcome.spent ? declared : outcome.spent;
  if (value <= threshold) return;
  const { announcement } = state;
  if (announcement === undefined || announcementId(announcement.sessionId, trades) !== announcement.id) {
    violate(8, "LargeTradeNotAnnounced", [value, threshold]);
  } else if (now < announcement.maturesAt) violate(8, "LargeTradeNotMature", [now, announcement.maturesAt]);
  else if (now > announcement.expiresAt) violate(8, "LargeTradeExpired", [now, announcement.expiresAt]);
}

/** What the inputs are worth together before the calls, each rounded up. */
function declaredBy(table: Table, { trades, opening }: Pick<Judged, "trades" | "opening">): bigint {
  return trades
    .flatMap(({ inputs }) => inputs)
    .reduce((sum, { asset, maxAmount }) => {
      const index = table.indexOf(asset);
      const row = index === undefined ? undefined : table.rows[index];
      if (index === undefined || row === undefined) return sum;
      const amount = maxAmount > MAX_128 ? MAX_128 : maxAmount;

      return sum + costOf(row, amount, opening.positions[index]?.price ?? 0n);
    }, 0n);
}
