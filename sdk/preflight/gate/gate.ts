import type { Address } from "viem";
import { getBlock, getChainId } from "viem/actions";
import { type Executed, execute, transferOut } from "../../account/account.ts";
import { CageError } from "../../cage/refusal/errors.ts";
import type { Clients } from "../../cage/write/send.ts";
import { PolicyCageError } from "../../core/errors.ts";
import type { PreflightBuffer } from "../buffer/buffer.ts";
import { type Critique, critique } from "../critique.ts";
import { evaluate, type Verdict } from "../evaluate/evaluate.ts";
import { type Proposal, parseProposal } from "../evaluate/proposal.ts";
import type { Effects } from "../evaluate/state.ts";
import { readEvaluationState } from "../read.ts";
import { type Capability, CapabilityError, mintCapability, spendCapability } from "./capability.ts";
import { counterpartiesOf, type SanctionsScreen } from "./sanctions.ts";

/** A capability is for the next minute: prices move. Seconds. */
const LIFETIME = 60n;

/** Time of the block in which a proposal would run, after the one that was read, in seconds. */
const NEXT_BLOCK = 12n;

/** What a gate says of a proposal: a capability for it, or why there is none, for programs and for people. */
export type Validation =
  | { kind: "allowed"; capability: Capability<Proposal>; verdict: Verdict }
  | { kind: "refused"; code: string; message: string; advice: string; critique: readonly Critique[] };

export type TradeGateOptions = {
  /** The node, and the wallet of the session key. */
  clients: Clients;
  cage: Address;
  buffer: PreflightBuffer;
  /** Who besides the cage's own oracle is asked about the counterparties. */
  sanctions: SanctionsScreen;
  /** What the calls do, from a simulation at that block with the cage's veto taken away. Whatever it throws refuses the proposal. */
  simulate: (proposal: Proposal, blockNumber: bigint) => Promise<Effects>;
  /** Seconds since 1970; the machine's own, where it is left out. Capabilities expire by it. */
  clock?: () => bigint;
};

/** What was done. Where it could not be taken down, its room stays taken until the cage is read an hour later. */
export type Performed = Executed & { isRecorded: boolean };

/** The one way from a golem's proposal to its account: what was not validated is not carried out. */
export type TradeGate = {
  /** Asks what the cage would say, takes room for the trade under the caps, and gives a capability for it. Never throws. */
  validate(proposal: Proposal): Promise<Validation>;
  /**
   * Carries out what was validated, and nothing else. Room that was taken is given back when the chain refuses it; when it is not known
   * what became of the transaction, the room stays taken.
   * @throws {CapabilityError} before anything is sent.
   * @throws {CageError} when the cage refuses it after all: state has moved since.
   */
  perform(capability: Capability<Proposal>, proposal: Proposal): Promise<Performed>;
};

/** Opens the gate of one caged account. */
export function openTradeGate({
  clients,
  cage,
  buffer,
  sanctions,
  simulate,
  clock = () => BigInt(Math.floor(Date.now() / 1_000)),
}: TradeGateOptions): TradeGate {
  const { reader } = clients;
  /** Room that a capability has taken, until it is used or expires. */
  const held = new Map<Capability<Proposal>, { reservationId: string; expiresAt: bigint }>();

  function releaseExpired(): void {
    const now = clock();
    for (const [capability, { reservationId, expiresAt }] of held) {
      if (expiresAt > now) continue;
      held.delete(capability);
      giveBack(buffer, reservationId);
    }
  }

  async function judge(action: Proposal): Promise<Validation> {
    releaseExpired();
    const { policy, state, block } = await readEvaluationState(reader, { cage, proposal: action });
    const now = block.timestamp + NEXT_BLOCK;
    const effects = await simulate(action, block.number);
    const verdict = evaluate({ policy, state, proposal: action, effects, now });
    const { isAllowed, spentUsdc } = verdict;
    if (!isAllowed || spentUsdc === undefined) return refusedBy(critique(verdict));

    const { assets, perDayCapUsdc } = policy.toPolicyCageConfig();
    await sanctions(counterpartiesOf(action, { assets: assets.map(({ asset }) => asset) }));
    buffer.reconcile({ releases: state.releases, at: block.timestamp });
    const { capUsdc, spentUsdc: sessionSpentUsdc } = state.session;
    const room = buffer.reserve({
      amountUsdc: spentUsdc,
      capUsdc: perDayCapUsdc,
      sessionLeftUsdc: capUsdc - sessionSpentUsdc,
      now,
    });
    if ("kind" in room) {
      const message = `Trades in flight leave ${room.remainingUsdc} micro-USDC, and this one spends ${spentUsdc}.`;

      return { kind: "refused", code: room.code, message, advice: room.advice, critique: [] };
    }
    const expiresAt = clock() + LIFETIME;
    const capability = mintCapability(action, { chainId: await getChainId(reader), expiresAt });
    held.set(capability, { reservationId: room.id, expiresAt });

    return { kind: "allowed", capability, verdict };
  }

  return {
    async validate(proposal) {
      try {
        return await judge(copyOf(proposal));
      } catch (error) {
        return refusedFor(error);
      }
    },
    async perform(capability, proposal) {
      const action = copyOf(proposal);
      const reservationId = held.get(capability)?.reservationId;
      held.delete(capability);
      try {
        spendCapability(capability, action, { chainId: await getChainId(reader), now: clock() });
        if (reservationId === undefined)
          throw new CapabilityError("CAPABILITY_FORGED", "Another gate made this capability.");
      } catch (error) {
        if (reservationId !== undefined) giveBack(buffer, reservationId);
        throw error;
      }
      const { trades, transfer, account } = action;
      let executed: Executed;
      try {
        executed = await (trades === undefined
          ? transferOut(clients, { account, ...transfer })
          : execute(clients, { account, trades }));
      } catch (error) {
        if (error instanceof CageError) giveBack(buffer, reservationId);
        throw error;
      }
      const { transactionHash, spentUsdc: amountUsdc, blockNumber } = executed;
      const asset = transfer?.asset ?? trades?.[0]?.inputs[0]?.asset ?? cage;
      try {
        const { timestamp } = await getBlock(reader, { blockNumber });
        buffer.settle(reservationId, { transactionHash, asset, amountUsdc, timestamp });

        return { ...executed, isRecorded: true };
      } catch {
        // The trade is made: whoever took this for a failure would make it twice. Its room stays taken until the cage is read.
        return { ...executed, isRecorded: false };
      }
    },
  };
}

/** The proposal, every property read once: what is judged is what is carried out. */
function copyOf(proposal: Proposal): Proposal {
  const parsed = parseProposal(proposal);
  if (parsed.kind === "malformed") {
    throw new CapabilityError("MALFORMED_ACTION", "No call of the account says this action.");
  }
  const { account, golem } = parsed;

  return parsed.kind === "trades"
    ? { account, golem, trades: parsed.trades }
    : { account, golem, transfer: parsed.transfer };
}

/** Another process may have read the cage an hour later, and given it back. */
function giveBack(buffer: PreflightBuffer, reservationId: string): void {
  if (buffer.reservations().some(({ id }) => id === reservationId)) buffer.release(reservationId);
}

function refusedBy(violations: readonly Critique[]): Validation {
  const [first] = violations;

  return {
    kind: "refused",
    code: first?.code ?? "UNDECIDED",
    message: first?.message ?? "What the trade would spend cannot be told.",
    advice: first?.instruction ?? "Try again.",
    critique: violations,
  };
}

function refusedFor(error: unknown): Validation {
  const own = error instanceof PolicyCageError ? error : undefined;

  return {
    kind: "refused",
    code: own?.code ?? "VALIDATION_FAILED",
    message: own?.message ?? "The proposal could not be judged.",
    advice: own?.advice ?? "Try again; if it fails again, look at the node and the simulation.",
    critique: [],
  };
}
