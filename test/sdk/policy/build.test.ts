import { expect } from "chai";
import fc from "fast-check";
import { checkPolicyOnChain } from "../../../sdk/cage/check-on-chain.ts";
import type { Violation } from "../../../sdk/index.ts";
import { tell, toldArbitrary } from "./support/arbitrary-policy.ts";
import { constructorOf, type Refused } from "./support/construction.ts";
import { deployPolicyWorld, type PolicyWorld } from "./support/world.ts";

const RUNS = 600;

describe("A policy builds if and only if a cage accepts it", () => {
  let world: PolicyWorld;
  let construct: Awaited<ReturnType<typeof constructorOf>>;

  before(async () => {
    world = await deployPolicyWorld();
    construct = await constructorOf(world);
  });

  it("random policies", async () => {
    const outcomes = new Map<string, number>();
    const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    await fc.assert(
      fc.asyncProperty(toldArbitrary(world), async (told) => {
        const builder = tell(told);
        const built = builder.safeBuild();
        const violations = built.success
          ? await checkPolicyOnChain(built.policy, world.chain.client.public)
          : built.violations;
        const refused = await construct(builder.draft());

        count(refused === undefined ? "accepted" : built.success ? `by the chain: ${refused.name}` : refused.name);
        expect(violations.length === 0, explain(violations, refused)).to.equal(refused === undefined);
      }),
      { numRuns: RUNS },
    );
    console.log(outcomes);
  });
});

function explain(violations: readonly Violation[], refused: Refused | undefined): string {
  return JSON.stringify({ violations, refused });
}
