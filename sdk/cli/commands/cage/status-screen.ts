import type { Address, PublicClient } from "viem";
import { type PendingChange, readPending } from "../../../cage/read/pending.ts";
import { type CageSnapshot, readCage } from "../../../cage/read/reader.ts";
import { formatDollars, formatDuration, formatPercent, formatTime } from "../../../core/format.ts";
import { BPS, DAY, ZERO } from "../../../core/units.ts";
import { bar, columns, paint } from "../../terminal/output.ts";

/** NAV so far above the mark is drawdown that nobody measures. */
const MARK_BEHIND_BPS = 500n;

export type Status = CageSnapshot & {
  /** Of the mark, rounded up; absent without mark or NAV. */
  drawdownBps?: bigint;
  /** NAV at which the breaker stops the golem; absent without mark. */
  breakerNav?: bigint;
  pending: readonly PendingChange[];
  alarms: readonly Alarm[];
};

/** What an owner should act on: "stopped" is red, "warning" is yellow. */
type Alarm = { level: "stopped" | "warning"; text: string };

function drawdownOf(nav: bigint, mark: bigint): bigint {
  return nav >= mark ? 0n : ((mark - nav) * BPS + mark - 1n) / mark;
}

/** All that `policycage status` shows. `since` is where events of pending changes begin. */
export async function readStatus(reader: PublicClient, cage: Address, since?: bigint): Promise<Status> {
  const snapshot = await readCage(reader, cage);
  const pending = await readPending(reader, cage, since);
  const { nav, highWaterMark: mark, policy } = snapshot;
  const measured =
    mark === 0n
      ? {}
      : {
          ...(nav === undefined ? {} : { drawdownBps: drawdownOf(nav, mark) }),
          breakerNav: mark - (mark * BigInt(policy.drawdownThresholdBps)) / BPS,
        };

  return { ...snapshot, ...measured, pending, alarms: alarmsOf(snapshot, pending) };
}

function alarmsOf(snapshot: CageSnapshot, pending: readonly PendingChange[]): Alarm[] {
  const { policy, nav, navError, highWaterMark: mark, session, block } = snapshot;
  const alarms: Alarm[] = [];
  const stopped = (text: string) => alarms.push({ level: "stopped", text });
  const warn = (text: string) => alarms.push({ level: "warning", text });

  if (snapshot.isHalted) stopped("HALTED: no execution starts until the owner resumes.");
  if (!policy.isSanctionsScreeningOn) stopped("SANCTIONS SCREENING IS OFF: nobody the golem deals with is screened.");
  if (snapshot.trippedBps !== 0n) {
    stopped(`THE BREAKER TRIPPED at ${formatPercent(snapshot.trippedBps)}: the owner must acknowledge the drawdown.`);
  }
  if (mark === 0n)
    stopped("NO HIGH-WATER MARK: nothing trades before owner or operator signs one (`policycage hwm sign`).");
  if (navError !== undefined) stopped(`NAV CANNOT BE READ: ${navError.message}`);
  if (nav !== undefined && mark > 0n) {
    const drawdown = drawdownOf(nav, mark);
    const threshold = BigInt(policy.drawdownThresholdBps);
    if (drawdown > threshold)
      stopped(`NAV is ${formatPercent(drawdown)} below the mark, past the breaker; anyone may store the trip.`);
    else if (drawdown > BigInt(policy.maxDrawdownBps))
      warn(`NAV is ${formatPercent(drawdown)} below the mark, past the soft limit.`);
    if (nav * BPS > mark * (BPS + MARK_BEHIND_BPS)) {
      warn("NAV is more than 5 % above the mark: sign a new one, or that much may be lost before a drawdown begins.");
    }
  }
  if (!session.isOpen)
    warn(session.id === 0n ? "No session was ever opened." : "No session is open: the golem cannot act.");
  else if (session.expiresAt - block.timestamp < DAY)
    warn(`The session closes in ${formatDuration(session.expiresAt - block.timestamp)}.`);
  for (const address of snapshot.suspended) warn(`${address} is suspended.`);
  for (const { functionName, state } of pending)
    if (state === "expired") warn(`${functionName} expired: submit it again.`);

  return alarms;
}

function pendingLine(
  { functionName, args, state, secondsLeft, expiresAt, maturesAt }: PendingChange,
  now: bigint,
): string {
  const shown = args.map((arg) => JSON.stringify(arg, (_, item) => (typeof item === "bigint" ? String(item) : item)));
  const call = `${functionName}(${shown.join(", ").replaceAll('"', "")})`;
  const name = call.length > 72 ? `${call.slice(0, 69)}...` : call;
  const states = {
    waiting: `may run in ${formatDuration(secondsLeft)}, at ${formatTime(maturesAt)}`,
    ready: paint("green", `may run now, for ${formatDuration(expiresAt - now)}`),
    expired: paint("yellow", `expired at ${formatTime(expiresAt)}`),
  };

  return `  ${name}  ${states[state]}`;
}

/** A status as a person reads it. */
export function statusLines(status: Status): string[] {
  const { policy, headroom, session, block, nav, highWaterMark: mark, alarms, pending } = status;
  const now = block.timestamp;
  const spentOf = (spent: bigint, cap: bigint) => `${formatDollars(spent)} of ${formatDollars(cap)} spent`;
  const [release] = headroom.releases;
  const sessionCap = session.capUsdc < policy.perSessionCapUsdc ? session.capUsdc : policy.perSessionCapUsdc;
  const maxDaily = BigInt(policy.maxRebalancesPerDay);
  const threshold = BigInt(policy.drawdownThresholdBps);
  const drawdown = status.drawdownBps;

  const limits = columns([
    ["  session", ...sessionCells()],
    [
      "  24 hours",
      bar(headroom.dailySpentUsdc, policy.perDayCapUsdc),
      spentOf(headroom.dailySpentUsdc, policy.perDayCapUsdc),
      release === undefined
        ? ""
        : `next release ${formatDollars(release.amountUsdc)} in ${formatDuration(release.at - now)}`,
    ],
    [
      "  executions",
      bar(headroom.rebalancesToday, maxDaily),
      `${headroom.rebalancesToday} of ${maxDaily} in 24 hours`,
      headroom.nextRebalanceAt > now ? `next in ${formatDuration(headroom.nextRebalanceAt - now)}` : "next may run now",
    ],
    [
      "  drawdown",
      drawdown === undefined ? "" : bar(drawdown < threshold ? drawdown : threshold, threshold),
      drawdown === undefined ? "not measured" : `${formatPercent(drawdown)} of ${formatPercent(threshold)}`,
      status.breakerNav === undefined ? "" : `breaker below ${formatDollars(status.breakerNav)}`,
    ],
  ]);

  function sessionCells(): string[] {
    if (!session.isOpen) return ["", "none open", ""];
    const ends = session.expiresAt - now;

    return [
      bar(session.spentUsdc, sessionCap),
      spentOf(session.spentUsdc, sessionCap),
      ends > 3_650n * DAY ? `#${session.id}, no end in sight` : `#${session.id}, closes in ${formatDuration(ends)}`,
    ];
  }

  return [
    `${paint("bold", "PolicyCage")} ${status.cage}  chain ${status.chainId}, block ${block.number}, ${formatTime(now)}`,
    `account    ${status.account}`,
    `owner      ${status.owner}${status.pendingOwner === ZERO ? "" : `, handing over to ${status.pendingOwner}`}`,
    `NAV        ${nav === undefined ? paint("red", "cannot be read") : formatDollars(nav)}   mark ${mark === 0n ? paint("red", "none") : formatDollars(mark)}`,
    `may spend  ${paint("bold", formatDollars(headroom.spendableUsdc))} now, ${formatDollars(policy.perTransactionCapUsdc)} an execution at most`,
    "",
    ...limits,
    "",
    ...(pending.length === 0
      ? ["No changes are pending."]
      : ["Pending changes:", ...pending.map((change) => pendingLine(change, now))]),
    ...(alarms.length === 0
      ? []
      : ["", ...alarms.map(({ level, text }) => paint(level === "stopped" ? "red" : "yellow", text))]),
  ];
}
