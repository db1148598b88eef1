import type { Proposal } from "../preflight/evaluate/proposal.ts";
import type { Effects, EvaluationState } from "../preflight/evaluate/state.ts";
import type { CageViolation } from "../preflight/evaluate/violation.ts";
import type { UnreadTrade } from "./errors.ts";

/** What a cage did with a trade when it was made. */
export type CageRecord = { isAllowed: true } | { isAllowed: false; code: string };

/** Names of the rules that the past holds too little to judge by. */
export type Unjudged = CageViolation["code"];

/** What an account did, or tried to do, once: everything that a verdict about it depends on but the policy. Data: it may come from anywhere. */
export type PastTrade = {
  /** Hash of its transaction, or the line of a table. */
  id: string;
  /** Seconds since 1970. */
  at: bigint;
  proposal: Proposal;
  /**
   * The account right before it. Of the counters (`releases`, `lastExecutionAt`, what the session has spent) only those of the first
   * trade are looked at: from there on a replay keeps its own.
   */
  state: EvaluationState;
  effects: Effects;
  /** Which session it was made in; absent where nobody knows of any. */
  sessionId?: bigint;
  /** Absent where no cage stood over the account. */
  record?: CageRecord;
  /**
   * "dollars": every amount is micro-USDC, whatever the asset, as of a table that knows no prices. Otherwise amounts are base units.
   */
  units: "base" | "dollars";
  unjudged: readonly Unjudged[];
};

/** A past in its order, and what of it cannot be judged. */
export type Past = { trades: readonly PastTrade[]; unread: readonly UnreadTrade[] };
