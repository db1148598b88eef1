import type { Address, Hex } from "viem";
import { getBlock, getBlockNumber, readContract } from "viem/actions";
import { policyCageAbi } from "../../abi/generated/policy-cage.ts";
import type { Reader } from "../../core/clients.ts";
import { PolicyCageError } from "../../core/errors.ts";
import { GRACE_PERIOD, ZERO } from "../../core/units.ts";
import {
  encodeCageCall,
  extraDelay,
  isPolicySetter,
  type Plan,
  type PlanStep,
  planPolicy,
} from "../../policy/change/plan.ts";
import { Policy } from "../../policy/model/policy.ts";
import type { PriceFeed } from "../../policy/model/types.ts";
import { requireChangeOnChain } from "../read/check-on-chain.ts";
import { readEvents } from "../read/logs.ts";
import { type PendingChange, pendingSince } from "../read/pending.ts";
import type { ChainCall } from "./calls.ts";
import { readSubmissions } from "./submissions.ts";

/** A plan, as of one block of the chain: what is submitted already, and since when it may run. */
export type ChainPlan = Plan & {
  blockNumber: bigint;
  timestamp: bigint;
  /** The policy of the cage now. */
  current: Policy;
  /** A halted cage is changed like any other, and stays halted: nothing resumes what somebody else halted. */
  isHalted: boolean;
  /** From when on submitted calls of the plan may run, by calldata; expired submissions are not among them. */
  pending: ReadonlyMap<Hex, bigint>;
  /** Submitted calls of the plan that the cage will not run: they are revoked, and submitted anew. */
  outdated: ReadonlySet<Hex>;
  /**
   * Open submissions that would change the policy and are not part of the plan: whoever means `next` revokes them. While they stand, the
   * owner can run them without any further delay.
   */
  unwanted: readonly PendingChange[];
};

/**
 * What turns the policy of `cage` into `next`, from the chain's state alone.
 * @param since The block before which every submission has expired. Default: found by some twenty questions.
 * @throws {ImmutableFieldError} when `next` differs in what the cage fixed at construction.
 */
export async function planOnChain(reader: Reader, cage: Address, next: Policy, since?: bigint): Promise<ChainPlan> {
  const fromBlock = since ?? (await pendingSince(reader));
  const { number: blockNumber, timestamp } = await getBlock(reader);
  const at = { abi: policyCageAbi, address: cage, blockNumber } as const;
  const [config, isHalted, { open, outdated }] = await Promise.all([
    readContract(reader, { ...at, functionName: "policy" }),
    readContract(reader, { ...at, functionName: "isHalted" }),
    readSubmissions(reader, cage, { fromBlock, toBlock: blockNumber }),
  ]);
  const current = Policy.fromConfig(config);
  const listed = new Set(config.assets.map(({ asset }) => asset));
  const entering = next.toPolicyCageConfig().assets.filter(({ asset }) => !listed.has(asset));
  const feeds = await Promise.all(
    entering.map(
      async ({ asset }): Promise<[Address, PriceFeed]> => [
        asset,
        await readContract(reader, { ...at, functionName: "priceFeed", args: [asset] }),
      ],
    ),
  );
  const knownFeeds = new Map(feeds.filter(([, { feed }]) => feed !== ZERO));
  const options = { current, next, isHalted, now: timestamp, knownFeeds };
  const { steps } = planPolicy(options);
  const maturities = await Promise.all(
    steps
      .filter(({ delay }) => delay > 0n)
      .map(
        async (step): Promise<[PlanStep, bigint]> => [
          step,
          await readContract(reader, { ...at, functionName: "maturesAt", args: [step.call] }),
        ],
      ),
  );
  const standing = maturities.filter(
    ([{ call }, matures]) => matures !== 0n && timestamp <= matures + GRACE_PERIOD && !outdated.has(call),
  );
  const pending = new Map(standing.map(([step, matures]) => [step.call, matures + extraDelay(step)]));
  const calls = new Set(steps.map(({ call }) => call));

  return {
    ...planPolicy({ ...options, pending }),
    blockNumber,
    timestamp,
    current,
    isHalted,
    pending,
    outdated: new Set([...outdated].filter((call) => calls.has(call))),
    unwanted: open.filter(({ call, functionName }) => isPolicySetter(functionName) && !calls.has(call)),
  };
}

/**
 * The submissions that a plan lacks, in order. One that stands and will not be run is revoked first: nothing can be submitted twice.
 */
export function missingSubmissions({ steps, pending, outdated }: ChainPlan): { step: PlanStep; calls: Hex[] }[] {
  return steps
    .filter(({ delay, call }) => delay > 0n && !pending.has(call))
    .map((step) => ({
      step,
      calls: [
        ...(outdated.has(step.call) ? [encodeCageCall("revoke", [step.call])] : []),
        encodeCageCall("submit", [step.call]),
      ],
    }));
}

/**
 * What runs next, in one go: the first step, or everything from `emergencyHalt` to `resume`.
 * @returns the steps, none where nothing is left, and when they may run: undefined while one of them is not submitted.
 */
export function nextSteps({ steps, pending, timestamp }: ChainPlan): {
  next: readonly PlanStep[];
  maturesAt: bigint | undefined;
} {
  const [first] = steps;
  const end = first?.setter === "emergencyHalt" ? steps.findIndex(({ setter }) => setter === "resume") : 0;
  const next = steps.slice(0, end + 1);
  const maturities = next.map(({ delay, call }) => (delay === 0n ? timestamp : pending.get(call)));
  const known = maturities.filter((matures) => matures !== undefined);
  const maturesAt = known.reduce((latest, matures) => (matures > latest ? matures : latest), timestamp);

  return { next, maturesAt: known.length < maturities.length ? undefined : maturesAt };
}

/** A call ran and left other rules than its plan said: somebody else changed the cage at the same time. */
export class UnexpectedPolicyError extends PolicyCageError {
  override readonly name = "UnexpectedPolicyError";

  constructor({ setter }: PlanStep, expected: Hex, actual: Hex) {
    super(
      `After ${setter} the cage's constitution is ${actual}, not ${expected}: another change ran at the same time.`,
      {
        code: "UNEXPECTED_POLICY",
        advice: "Look at what it was, then plan anew.",
      },
    );
  }
}

/** A change stopped halfway, and the cage is halted: it allows nothing until the change is finished and its owner resumes it. */
export class LeftHaltedError extends PolicyCageError {
  override readonly name = "LeftHaltedError";

  constructor(cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`The change stopped halfway and the cage is halted: ${reason}`, {
      code: "LEFT_HALTED",
      advice: "Remove the cause, apply the policy again, and resume the cage when it is done.",
      cause,
    });
  }
}

/** What `applyPolicy` did: revoked a submission that no longer counts, submitted a call, ran it, or waits for it. */
export type Progress =
  | { kind: "revoked" | "submitted" | "executed"; step: PlanStep; remaining: number }
  | { kind: "waiting"; step: PlanStep; until: bigint; remaining: number };

export type ApplyOptions = {
  reader: Reader;
  cage: Address;
  next: Policy;
  /** Sends a call in the owner's name, and returns once it is mined; throws when it is refused. */
  send: (call: ChainCall) => Promise<unknown>;
  /** Returns once the chain's time has reached `until`. Left out: what can be done now is done, and the rest is left. */
  wait?: (until: bigint) => Promise<void>;
  onProgress?: (progress: Progress) => void;
};

/**
 * Submits every call that leads from the cage's policy to `next`, and runs each in order as it matures. What it does depends on the
 * chain alone: interrupted anywhere and started again, it goes on where it stopped. It resumes the cage only where this very call halted it
 * and nobody else did meanwhile: interrupted in between, the cage has the policy in the end and is halted (`isHalted`), and its owner
 * resumes it.
 * @returns the plan that is left: no steps once the cage has the policy; `unwanted` names submissions that lead elsewhere.
 * @throws {PolicyRefusedOnChainError} before anything is submitted, and before the cage is halted, when contracts that `next` brings in do
 * not answer as they must.
 * @throws {UnexpectedPolicyError} when a step left other rules than planned.
 * @throws {LeftHaltedError} when a step failed between halting and resuming; whatever `send` throws.
 */
export async function applyPolicy(options: ApplyOptions): Promise<ChainPlan> {
  const { reader, cage, next, send, wait, onProgress } = options;
  await requireChangeOnChain(reader, next, { cage, isAboutToRun: false });
  const since = await pendingSince(reader);
  for (;;) {
    const plan = await planOnChain(reader, cage, next, since);
    const [first] = plan.steps;
    if (first === undefined) return plan;

    const missing = missingSubmissions(plan);
    for (const { step, calls } of missing) {
      for (const data of calls) {
        await send({ to: cage, data, value: 0n });
        onProgress?.({ kind: data === calls.at(-1) ? "submitted" : "revoked", step, remaining: plan.steps.length });
      }
    }

    const { next: steps, maturesAt } = nextSteps(plan);
    if (maturesAt !== undefined && maturesAt <= plan.timestamp) {
      if (steps.length > 1) await runHalted(options, plan, steps);
      else await run(options, first, plan.steps.length - 1);
    } else if (missing.length === 0) {
      const until = maturesAt ?? plan.timestamp;
      onProgress?.({ kind: "waiting", step: first, until, remaining: plan.steps.length });
      if (wait === undefined) return plan;
      await wait(until);
    }
  }
}

async function run({ reader, cage, send, onProgress }: ApplyOptions, step: PlanStep, remaining: number): Promise<void> {
  await send({ to: cage, data: step.call, value: 0n });
  const hash = await readContract(reader, { abi: policyCageAbi, address: cage, functionName: "constitutionHash" });
  if (hash !== step.constitutionHash) throw new UnexpectedPolicyError(step, step.constitutionHash, hash);
  onProgress?.({ kind: "executed", step, remaining });
}

/** Runs what lies between halting and resuming, and leaves the cage halted where anything fails or anybody else halted it too. */
async function runHalted(options: ApplyOptions, plan: ChainPlan, steps: readonly PlanStep[]): Promise<void> {
  const { reader, cage, next } = options;
  // Better refused now than halted halfway.
  await requireChangeOnChain(reader, next, { cage, isAboutToRun: true });
  const [halt, ...rest] = steps as [PlanStep, ...PlanStep[]];
  await run(options, halt, plan.steps.length - 1);
  try {
    for (const [index, step] of rest.entries()) {
      const isLast = index === rest.length - 1;
      if (isLast && !(await isHaltedOnce(reader, cage, plan.blockNumber))) return;
      await run(options, step, plan.steps.length - 2 - index);
    }
  } catch (cause) {
    throw new LeftHaltedError(cause);
  }
}

/** True when exactly one halt was reported since `block`, at which the cage was not halted. */
async function isHaltedOnce(reader: Reader, cage: Address, block: bigint): Promise<boolean> {
  const toBlock = await getBlockNumber(reader, { cacheTime: 0 });
  const events = await readEvents(reader, [cage], { fromBlock: block + 1n, toBlock });

  return events.filter(({ eventName }) => eventName === "EmergencyHalt").length === 1;
}
