import { expect } from "chai";
import fc from "fast-check";
import { type Address, getAddress, toFunctionSelector } from "viem";
import { by, type ContractOf, person } from "../../../../scripts/world/chain.ts";
import {
  applyPolicy,
  formatPolicyFile,
  type OwnerCall,
  Policy,
  parsePolicyFile,
  planOnChain,
} from "../../../../sdk/index.ts";
import { type Told, tell, toldArbitrary } from "../../policy/support/arbitrary-policy.ts";
import { deployerOf } from "../../policy/support/construction.ts";
import { deployPolicyWorld, type PolicyWorld } from "../../policy/support/world.ts";

const DAY = 86_400n;

const SUBMIT = toFunctionSelector("submit(bytes)");

describe("Applying a policy to a cage", () => {
  let world: PolicyWorld;
  let deployCage: (config: ReturnType<Policy["toPolicyCageConfig"]>) => Promise<ContractOf<"PolicyCage">>;
  let told: fc.Arbitrary<Told>;

  before(async () => {
    world = await deployPolicyWorld();
    deployCage = await deployerOf(world);
    told = toldArbitrary(world);
  });

  const owner = by(person("owner"));

  /** Two policies of one cage. */
  function pairs() {
    return fc
      .tuple(told, told)
      .map(
        ([one, other]) => [tell(one).build(), tell({ ...other, sequencerFeed: one.sequencerFeed }).build()] as const,
      );
  }

  async function deploy(policy: Policy): Promise<Address> {
    await world.refreshFeeds();

    return getAddress((await deployCage(policy.toPolicyCageConfig())).address);
  }

  async function send(call: OwnerCall): Promise<void> {
    await world.chain.done(world.chain.wallet.sendTransaction({ ...owner, ...call }));
  }

  async function wait(until: bigint): Promise<void> {
    if (until > (await world.chain.now())) await world.chain.travelTo(until);
    await world.refreshFeeds();
  }

  const reader = () => world.chain.client.public;

  async function read(cage: Address) {
    const { read: views } = world.chain.contractAt("PolicyCage", cage);

    return { policy: Policy.fromConfig(await views.policy()), hash: await views.constitutionHash() };
  }

  async function expectPolicy(cage: Address, policy: Policy): Promise<void> {
    const { policy: found, hash } = await read(cage);

    expect(found.toPolicyCageConfig()).to.deep.equal(policy.toPolicyCageConfig());
    expect(hash).to.equal(policy.toConstitution().hash);
  }

  it("a policy file, deployed and read back, is the same policy with the same hash", async () => {
    await fc.assert(
      fc.asyncProperty(told, async (one) => {
        const file = formatPolicyFile(tell(one).build());
        const policy = parsePolicyFile(file);

        const cage = await deploy(policy);

        await expectPolicy(cage, policy);
        expect(formatPolicyFile((await read(cage)).policy)).to.equal(file);
      }),
      { numRuns: 15 },
    );
  });

  it("any policy becomes exactly any other, by the hashes the plan names, and nothing is left to do", async () => {
    await fc.assert(
      fc.asyncProperty(pairs(), async ([current, next]) => {
        const cage = await deploy(current);
        const planned = await planOnChain(reader(), cage, next);
        const hashes: string[] = [];
        const { constitutionHash } = world.chain.contractAt("PolicyCage", cage).read;

        const left = await applyPolicy({
          reader: reader(),
          cage,
          next,
          wait,
          send: async (call) => {
            await send(call);
            if (!call.data.startsWith(SUBMIT)) hashes.push(await constitutionHash());
          },
        });

        await expectPolicy(cage, next);
        expect(left.steps).to.deep.equal([]);
        expect((await planOnChain(reader(), cage, next)).steps).to.deep.equal([]);
        expect(hashes).to.deep.equal(planned.steps.map((step) => step.constitutionHash));
      }),
      { numRuns: 10 },
    );
  });

  it("interrupted after any call or before it, and run again, it gets there without submitting anything twice", async () => {
    const interruptions = fc.array(fc.record({ after: fc.nat(12), isSent: fc.boolean() }), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(pairs(), interruptions, async ([current, next], stops) => {
        const cage = await deploy(current);
        const sent: string[] = [];
        const attempt = (stop: { after: number; isSent: boolean } | undefined) => {
          let calls = 0;

          return applyPolicy({
            reader: reader(),
            cage,
            next,
            wait,
            send: async (call) => {
              calls += 1;
              const isLast = stop !== undefined && calls > stop.after;
              if (isLast && !stop.isSent) throw new Error("interrupted");
              await send(call);
              sent.push(call.data);
              if (isLast) throw new Error("interrupted");
            },
          });
        };
        for (const stop of stops) {
          await attempt(stop).catch((error: Error) => expect(error.message).to.equal("interrupted"));
        }

        await attempt(undefined);

        await expectPolicy(cage, next);
        expect(sent).to.have.lengthOf(new Set(sent).size);
      }),
      { numRuns: 8 },
    );
  });

  describe("one step", () => {
    let cage: Address;
    let next: Policy;

    beforeEach(async () => {
      const [some] = fc.sample(told, { numRuns: 1, seed: 1 }) as [Told];
      const numbers = { ...some.numbers, maxPositions: 5n };
      cage = await deploy(tell({ ...some, numbers }).build());
      next = tell({ ...some, numbers: { ...numbers, maxPositions: 6n } }).build();
    });

    it("is submitted, and left when nobody waits", async () => {
      const left = await applyPolicy({ reader: reader(), cage, next, send });

      expect(left.steps.map(({ setter }) => setter)).to.deep.equal(["setMaxPositions"]);
      expect(left.pending.size).to.equal(1);
      expect(left.steps[0]?.earliestAt).to.equal([...left.pending.values()][0]);
    });

    it("is submitted again once its submission has expired", async () => {
      await applyPolicy({ reader: reader(), cage, next, send });
      await world.chain.travel(15n * DAY);
      await world.refreshFeeds();
      const kinds: string[] = [];

      await applyPolicy({ reader: reader(), cage, next, send, wait, onProgress: ({ kind }) => kinds.push(kind) });

      expect(kinds).to.deep.equal(["submitted", "waiting", "executed"]);
      await expectPolicy(cage, next);
    });
  });
});
