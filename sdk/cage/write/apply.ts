import type { Address, Hex } from "viem";
import { getBlock, readContract } from "viem/actions";
import { policyCageAbi } from "../../abi/generated/policy-cage.ts";
import type { Reader } from "../../core/clients.ts";
import { PolicyCageError } from "../../core/errors.ts";
import { encodeCageCall, type Plan, type PlanStep, planPolicy } from "../../policy/change/plan.ts";
import { Policy } from "../../policy/model/policy.ts";
import type { PriceFeed } from "../../policy/model/types.ts";

/** A call of the cage in its owner's name. */
export type OwnerCall = { to: Address; data: Hex; value: bigint };

const GRACE_PERIOD = 14n * 86_400n;

const ZERO = "0x0000000000000000000000000000000000000000";

/** A plan, as of one block of the chain: what is submitted already, and since when it may run. */
export type ChainPlan = Plan & {
  timestamp: bigint;
  /** The policy of the cage now. */
  current: Policy;
  /** When submitted calls mature, by calldata; expired submissions are not among them. */
  pending: ReadonlyMap<Hex, bigint>;
};

/**
 * What turns the policy of `cage` into `next`, from the chain's state alone.
 * @throws {ImmutableFieldError} when `next` differs in what the cage fixed at construction.
 */
export async function planOnChain(reader: Reader, cage: Address, next: Policy): Promise<ChainPlan> {
  const { number: blockNumber, timestamp } = await getBlock(reader);
  const at = { abi: policyCageAbi, address: cage, blockNumber } as const;
  const current = Policy.fromConfig(await readContract(reader, { ...at, functionName: "policy" }));
  const listed = new Set(current.toPolicyCageConfig().assets.map(({ asset }) => asset));
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
  const options = { current, next, now: timestamp, knownFeeds };
  const { steps } = planPolicy(options);
  const maturities = await Promise.all(
    steps.map(
      async ({ call }): Promise<[Hex, bigint]> => [
        call,
        await readContract(reader, { ...at, functionName: "maturesAt", args: [call] }),
      ],
    ),
  );
  const pending = new Map(maturities.filter(([, matures]) => matures !== 0n && timestamp <= matures + GRACE_PERIOD));

  return { ...planPolicy({ ...options, pending }), timestamp, current, pending };
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

/** What `applyPolicy` did: submitted a call, ran it, or waits for it. */
export type Progress =
  | { kind: "submitted" | "executed"; step: PlanStep; remaining: number }
  | { kind: "waiting"; step: PlanStep; until: bigint; remaining: number };

export type ApplyOptions = {
  reader: Reader;
  cage: Address;
  next: Policy;
  /** Sends a call in the owner's name, and returns once it is mined; throws when it is refused. */
  send: (call: OwnerCall) => Promise<unknown>;
  /** Returns once the chain's time has reached `until`. Left out: what can be done now is done, and the rest is left. */
  wait?: (until: bigint) => Promise<void>;
  onProgress?: (progress: Progress) => void;
};

/**
 * Submits every call that leads from the cage's policy to `next`, and runs each in order as it matures. What it does depends on the
 * chain alone: interrupted anywhere and started again, it goes on where it stopped.
 * @returns the plan that is left: no steps once the cage has the policy.
 * @throws {UnexpectedPolicyError} when a step left other rules than planned; whatever `send` throws.
 */
export async function applyPolicy({ reader, cage, next, send, wait, onProgress }: ApplyOptions): Promise<ChainPlan> {
  for (;;) {
    const plan = await planOnChain(reader, cage, next);
    const [first] = plan.steps;
    if (first === undefined) return plan;

    const missing = plan.steps.filter(({ delay, call }) => delay > 0n && !plan.pending.has(call));
    for (const step of missing) {
      await send({ to: cage, data: encodeCageCall("submit", [step.call]), value: 0n });
      onProgress?.({ kind: "submitted", step, remaining: plan.steps.length });
    }

    const maturesAt = first.delay === 0n ? plan.timestamp : plan.pending.get(first.call);
    if (maturesAt !== undefined && maturesAt <= plan.timestamp) {
      await send({ to: cage, data: first.call, value: 0n });
      const hash = await readContract(reader, { abi: policyCageAbi, address: cage, functionName: "constitutionHash" });
      if (hash !== first.constitutionHash) throw new UnexpectedPolicyError(first, first.constitutionHash, hash);
      onProgress?.({ kind: "executed", step: first, remaining: plan.steps.length - 1 });
    } else if (missing.length === 0) {
      const until = maturesAt ?? plan.timestamp;
      onProgress?.({ kind: "waiting", step: first, until, remaining: plan.steps.length });
      if (wait === undefined) return plan;
      await wait(until);
    }
  }
}
