import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { type Address, type Hex, recoverAddress } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import {
  type DrawdownObservation,
  type DrawdownWatch,
  drawdownAcknowledgement,
  type OwnerAuthority,
  openDrawdownWatch,
} from "../../../../sdk/preflight/index.ts";

const CAGE: Address = "0x52908400098527886E0F7030069857D2E4169EE7";
const ACCOUNT: Address = "0x8617E340B3D01FA5F11F306F4090FD50E238070D";
const OTHER: Address = "0xde709f2102306220921060314715629080e2fb77";
const DAY = 86_400;
const NOON = 1_750_000_000n;

describe("a drawdown watch", () => {
  const key = privateKeyToAccount(generatePrivateKey());
  /** An owner whose signature is his key's. That of a real cage is asked for in the test of the gate. */
  const owner: OwnerAuthority = {
    chainId: 1,
    id: "test",
    signerOf: async (hash, signature) =>
      (await recoverAddress({ hash, signature })) === key.address ? key.address : undefined,
  };
  let folder: string;
  let file: string;
  let watch: DrawdownWatch;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "policycage-drawdown-"));
    file = join(folder, "drawdown.sqlite");
    watch = open();
  });

  afterEach(() => {
    watch.close();
    rmSync(folder, { recursive: true });
  });

  const open = (account = ACCOUNT) => openDrawdownWatch({ file, cage: CAGE, account, owner });
  const look = (navUsdc: bigint, seconds = 0, changes: Partial<DrawdownObservation> = {}) =>
    watch.observe({
      navUsdc,
      markUsdc: 1_000_000n,
      timestamp: NOON + BigInt(seconds),
      maxDrawdownBps: 1_300,
      windowSeconds: DAY,
      ...changes,
    }).kind;
  const sign = (account = key) => {
    const state = watch.state();
    if (state.kind !== "degraded") throw new Error("nothing tripped");

    return account.signTypedData(drawdownAcknowledgement(state.trip, { chainId: 1, cage: CAGE, account: ACCOUNT }));
  };
  const codeOf = async (work: () => unknown): Promise<unknown> => {
    try {
      await work();
    } catch (error) {
      return (error as { code?: unknown }).code;
    }

    return undefined;
  };

  it("trips one unit beyond the limit, and not at it", () => {
    look(1_000_000n);
    expect(look(870_000n, 60)).to.equal("normal");
    expect(look(869_999n, 120)).to.equal("degraded");
    const state = watch.state();
    expect(state.kind === "degraded" && state.trip).to.include({ peakUsdc: 1_000_000n, navUsdc: 869_999n });
  });

  it("forgets a peak when the window has passed it, a thousandth of the window later at most", () => {
    look(1_000_000n);
    expect(look(900_000n, DAY - 1)).to.equal("normal");
    expect(look(869_999n, DAY + 87), "the window's own peak").to.equal("normal");
    expect(look(782_000n, DAY + 200)).to.equal("degraded");
  });

  it("counts a peak for the whole window", () => {
    look(1_000_000n);
    expect(look(869_999n, DAY)).to.equal("degraded");
  });

  it("takes what was paid out for no loss, and a mark that rises for no gain", () => {
    look(1_000_000n);
    expect(look(500_000n, 60, { markUsdc: 500_000n }), "half was paid out").to.equal("normal");
    expect(look(435_000n, 120, { markUsdc: 900_000n })).to.equal("normal");
    expect(look(434_999n, 180, { markUsdc: 900_000n })).to.equal("degraded");
  });

  it("keeps the peak when the window's length changes", () => {
    look(1_000_000n);
    expect(look(900_000n, 60, { windowSeconds: 7 * DAY })).to.equal("normal");
    expect(look(869_999n, 2 * DAY, { windowSeconds: 7 * DAY })).to.equal("degraded");
  });

  it("stays degraded, whatever comes, in every process and after every restart", async () => {
    look(1_000_000n);
    look(1n, 60);
    expect(look(5_000_000n, 9 * DAY)).to.equal("degraded");
    const beside = open();
    expect(beside.state().kind).to.equal("degraded");
    expect(await codeOf(() => beside.requireWritable())).to.equal("DRAWDOWN_TRIPPED");
    beside.close();
    watch.close();
    watch = open();
    expect(watch.state().kind).to.equal("degraded");
    const other = open(OTHER);
    expect(other.state().kind, "of another account").to.equal("normal");
    other.close();
  });

  it("ends with the owner's signature of that trip and of no other, once", async () => {
    look(1_000_000n);
    look(1n, 60);
    const stranger = privateKeyToAccount(generatePrivateKey());
    expect(await codeOf(async () => watch.acknowledge(await sign(stranger)))).to.equal("ACKNOWLEDGEMENT_REFUSED");
    const first = await sign();
    await watch.acknowledge(first);
    watch.requireWritable();
    expect(look(1n, 120), "what it is worth now is where it begins").to.equal("normal");
    expect(await codeOf(() => watch.acknowledge(first))).to.equal("NOTHING_TRIPPED");

    look(1_000_000n, 180);
    look(1n, 240);
    expect(await codeOf(() => watch.acknowledge(first)), "an older one").to.equal("ACKNOWLEDGEMENT_REFUSED");
    expect(watch.state().kind).to.equal("degraded");
    expect(watch.trips()).to.have.length(2);
  });

  it("is not talked out of it when the owner cannot be asked", async () => {
    watch.close();
    const signerOf = async () => Promise.reject(new Error("no answer"));
    watch = openDrawdownWatch({ file, cage: CAGE, account: ACCOUNT, owner: { ...owner, signerOf } });
    look(1_000_000n);
    look(1n, 60);
    const error = await watch.acknowledge(`0x${"11".repeat(65)}` as Hex).catch((caught: unknown) => caught);
    expect(error).to.be.instanceOf(Error);
    expect(watch.state().kind).to.equal("degraded");
  });

  it("takes no reading that is none, and no file of somebody else", async () => {
    const bad: Partial<DrawdownObservation>[] = [
      { navUsdc: -1n },
      { markUsdc: -1n },
      { timestamp: NOON * 1_000n },
      { maxDrawdownBps: 0 },
      { windowSeconds: Number.NaN },
    ];
    for (const changes of bad) expect(await codeOf(() => look(1n, 0, changes))).to.equal("BAD_OBSERVATION");

    const foreign = join(folder, "notes.txt");
    writeFileSync(foreign, "no database at all, and longer than a header of SQLite would have to be".repeat(20));
    const openForeign = () => openDrawdownWatch({ file: foreign, cage: CAGE, account: ACCOUNT, owner });
    expect(await codeOf(openForeign)).to.equal("STORE_FOREIGN");
  });

  it("trips where the exact window would, and otherwise only by a peak that left it a stretch ago", () => {
    const step = fc.record({ seconds: fc.integer({ min: 1, max: 30_000 }), nav: fc.integer({ min: 1, max: 1_000 }) });
    let trips = 0;
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        watch.close();
        rmSync(file);
        watch = open();
        const seen: { at: number; nav: bigint }[] = [];
        let at = 0;
        for (const { seconds, nav: units } of steps) {
          at += seconds;
          const nav = 1_000_000n + BigInt(units);
          seen.push({ at, nav });
          const bpsWithin = (longest: number) => {
            const peak = seen.reduce((most, one) => (one.at >= at - longest && one.nav > most ? one.nav : most), 0n);

            return ((peak - nav) * 10_000n + peak - 1n) / peak;
          };
          const isTripped = look(nav, at, { maxDrawdownBps: 4 }) === "degraded";
          if (bpsWithin(DAY) > 4n) expect(isTripped).to.equal(true);
          if (bpsWithin(DAY + 2 * 87) <= 4n) expect(isTripped).to.equal(false);
          if (!isTripped) continue;
          trips += 1;
          return;
        }
      }),
      { numRuns: 60 },
    );
    expect(trips).to.be.greaterThan(5);
  });
});
