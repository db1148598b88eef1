import { expect } from "chai";
import { Policy, PolicyBuilder, type PolicyCageConfig, PolicyError } from "../../../../sdk/index.ts";
import { example } from "../support/example.ts";

/** Values that throw, lie or go round in a circle when somebody looks at them. Made anew: some can be used once. */
const HOSTILE: Record<string, () => unknown> = {
  "a circle": () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;

    return circle;
  },
  "a list that holds itself": () => {
    const list: unknown[] = [];
    list.push(list);

    return list;
  },
  "a toJSON that throws": () => ({
    toJSON() {
      throw new Error("no");
    },
  }),
  "a toJSON that answers nothing": () => ({ toJSON: () => undefined }),
  "a toString that throws": () =>
    Object.assign(() => 0, {
      toString() {
        throw new Error("no");
      },
    }),
  "a getter that throws": () => ({
    get asset() {
      throw new Error("no");
    },
    get function() {
      throw new Error("no");
    },
    get protocol() {
      throw new Error("no");
    },
  }),
  "a revoked proxy": () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();

    return proxy;
  },
  "a revoked list": () => {
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();

    return proxy;
  },
  "a list that throws": () =>
    new Proxy([1], {
      get() {
        throw new Error("no");
      },
    }),
  "a list of hostile things": () =>
    Object.values(HOSTILE)
      .slice(0, 6)
      .map((make) => make()),
  "a sparse list": () => new Array(3),
  "the longest sparse list": () => new Array(2 ** 32 - 1),
  "a symbol": () => Symbol("no"),
  "a function": () => () => 0,
  "a number that is none": () => Number.NaN,
  "a bigint beyond every field": () => 2n ** 300n,
  "an object without a prototype": () => Object.create(null),
  "a date that is none": () => new Date(Number.NaN),
  nothing: () => null,
};

type Step = (this: PolicyBuilder, ...args: unknown[]) => PolicyBuilder;

const steps = Object.getOwnPropertyNames(PolicyBuilder.prototype).filter(
  (name) => !["constructor", "draft", "safeBuild", "build"].includes(name),
);

describe("A builder that is told anything", () => {
  for (const name of steps) {
    for (const [what, make] of Object.entries(HOSTILE)) {
      it(`${name} of ${what}: safeBuild answers, and gives a policy only where nothing hostile was meant`, () => {
        const step = Reflect.get(PolicyBuilder.prototype, name) as Step;
        for (const args of [[make()], [make(), make()], ["0x52908400098527886E0F7030069857D2E4169EE7", make()]]) {
          const result = step.apply(example, args).safeBuild();

          if (result.success) {
            // What passes is what the rules accept of an honest caller, too.
            expect(Policy.fromConfig(result.policy.toPolicyCageConfig()).toConstitution().hash).to.equal(
              result.policy.toConstitution().hash,
            );
          } else {
            for (const { constraint, value, allowed } of result.violations) {
              expect([typeof constraint, typeof value, typeof allowed]).to.deep.equal(["string", "string", "string"]);
            }
          }
        }
      });
    }
  }
});

describe("A policy of a configuration that its caller can still change", () => {
  const config = example.build().toPolicyCageConfig();
  const from = (change: object) => Policy.fromConfig({ ...config, ...change } as PolicyCageConfig);

  it("has what was judged: a getter is read once", () => {
    const answers = [100, 10_000];
    const shifty = Object.defineProperty({ ...config }, "maxTradeLossBps", {
      enumerable: true,
      get: () => answers.shift(),
    });

    expect(Policy.fromConfig(shifty as PolicyCageConfig).toPolicyCageConfig().maxTradeLossBps).to.equal(100);
  });

  it("has no holes, no functions, and nothing that it does not know", () => {
    const sparse = new Array(2);
    expect(() => from({ approvedProtocols: sparse })).to.throw(PolicyError);
    expect(() => from({ maxPositions: () => 5 })).to.throw(PolicyError);
    const extra = from({ surprise: () => 0, assets: config.assets.map((row) => ({ ...row, surprise: 1 })) });

    expect(extra.toPolicyCageConfig()).to.deep.equal(config);
  });

  it("is frozen, and shares nothing with the caller", () => {
    const mine = structuredClone(config) as { -readonly [Field in keyof PolicyCageConfig]: PolicyCageConfig[Field] };
    const policy = Policy.fromConfig(mine);
    mine.maxTradeLossBps = 1_000;

    expect(policy.toPolicyCageConfig()).to.deep.equal(config);
    expect(Object.isFrozen(policy.toPolicyCageConfig().assets[0]?.priceFeed)).to.equal(true);
  });
});
