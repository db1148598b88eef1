import { expect } from "chai";
import fc from "fast-check";
import { type Address, getAddress } from "viem";
import {
  checkPolicyOnChain,
  Policy,
  type PolicyCageConfig,
  PolicyRefusedOnChainError,
  requirePolicyOnChain,
  WrongChainError,
} from "../../../../sdk/index.ts";
import { type Told, tell, toldArbitrary } from "../../policy/support/arbitrary-policy.ts";
import { constructorOf, deployerOf } from "../../policy/support/construction.ts";
import { deploySlowFeed } from "../../policy/support/slow-feed.ts";
import { deployPolicyWorld, type PolicyWorld } from "../../policy/support/world.ts";

const CHAIN_ID = 31_337;

/** What one caught error is, so that its fields can be looked at. */
async function errorOf(attempt: Promise<unknown>): Promise<unknown> {
  try {
    await attempt;
  } catch (error) {
    return error;
  }
  throw new Error("Nothing was refused.");
}

describe("What the contracts a policy names must answer", () => {
  let world: PolicyWorld;
  let construct: Awaited<ReturnType<typeof constructorOf>>;
  let policy: Policy;
  let snapshot: `0x${string}`;

  before(async () => {
    world = await deployPolicyWorld();
    construct = await constructorOf(world);
    const [some] = fc.sample(toldArbitrary(world), { numRuns: 1, seed: 5 }) as [Told];
    policy = tell({ ...some, protocols: world.protocols.slice(0, 2), strategies: [] }).build();
    snapshot = await world.chain.test.snapshot();
  });

  beforeEach(async () => {
    await world.chain.test.revert({ id: snapshot });
    snapshot = await world.chain.test.snapshot();
    await world.refreshFeeds();
  });

  const client = () => world.chain.client.public;

  function changed(change: Partial<PolicyCageConfig>): Policy {
    return Policy.fromConfig({ ...policy.toPolicyCageConfig(), ...change });
  }

  function withFeed(feed: Address): Policy {
    const { tokens } = world;
    const priceFeed = {
      feed,
      heartbeat: 86_400,
      minAnswer: 1n,
      maxAnswer: 10n ** 12n,
      dust: 0n,
      issuer: world.protocols[9] as Address,
    };
    const { assets } = policy.toPolicyCageConfig();

    return changed({ assets: assets.map((row) => (row.asset === tokens.usdc ? { ...row, priceFeed } : row)) });
  }

  for (const [reads, isAccepted] of [
    [40, true],
    [48, false],
  ] as const) {
    it(`${isAccepted ? "take" : "refuse"} a feed that reads ${reads} cold words, as the constructor does`, async () => {
      const slow = withFeed(await deploySlowFeed(world, 10n ** 8n, reads));

      const violations = await checkPolicyOnChain(slow, client());

      expect((await construct(slow.toPolicyCageConfig())) === undefined).to.equal(isAccepted);
      expect(violations.length === 0).to.equal(isAccepted);
    });
  }

  it("refuse a node of another chain before anything else is asked", async () => {
    const error = await errorOf(requirePolicyOnChain({ client: client(), policy, chainId: 8_453 }));

    expect(error)
      .to.be.instanceOf(WrongChainError)
      .and.to.include({ code: "WRONG_CHAIN", expected: 8_453, actual: CHAIN_ID });
  });

  it("refuse a protocol without code, before a deployment and before a change, by its name", async () => {
    const cage = getAddress((await (await deployerOf(world))(policy.toPolicyCageConfig())).address);
    const nobody = world.people[3] as Address;
    const list = [...policy.toPolicyCageConfig().approvedProtocols, nobody].sort((a, b) =>
      BigInt(a) < BigInt(b) ? -1 : 1,
    );
    const mistyped = changed({ approvedProtocols: list });

    for (const where of [{}, { cage }]) {
      const error = await errorOf(
        requirePolicyOnChain({ client: client(), policy: mistyped, chainId: CHAIN_ID, ...where }),
      );

      expect(error).to.be.instanceOf(PolicyRefusedOnChainError).and.to.have.property("code", "POLICY_REFUSED_ON_CHAIN");
      expect((error as PolicyRefusedOnChainError).violations).to.deep.equal([
        { constraint: "approvedProtocols", value: nobody, allowed: "a contract on this chain" },
      ]);
    }
  });

  it("ask a cage's owner only for what changes: a dead feed does not stop a lower cap", async () => {
    const cage = getAddress((await (await deployerOf(world))(policy.toPolicyCageConfig())).address);
    await world.chain.travel(2n ** 33n);
    const lower = changed({ perDayCapUsdc: 1_000_000_000n, perTransactionCapUsdc: 100_000_000n });

    expect(await checkPolicyOnChain(lower, client())).not.to.deep.equal([]);
    await requirePolicyOnChain({ client: client(), policy: lower, chainId: CHAIN_ID, cage });
  });

  it("refuse the cage's own addresses in its policy", async () => {
    const { address } = await (await deployerOf(world))(policy.toPolicyCageConfig());
    const cage = getAddress(address);
    const own = changed({ hasMainWallet: true, mainWallet: cage, cladeWallets: [] });

    const error = await errorOf(requirePolicyOnChain({ client: client(), policy: own, chainId: CHAIN_ID, cage }));

    expect((error as PolicyRefusedOnChainError).violations[0]).to.include({ constraint: "mainWallet", value: cage });
  });
});
