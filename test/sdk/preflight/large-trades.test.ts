import { expect } from "chai";
import { announcementId, type EvaluationState, evaluate, Policy, type Trade, usdc } from "../../../sdk/index.ts";
import { at, balancesAfter, configOf, NOW, stateOf, swap, swapData } from "./support/example.ts";

const HOUR = 3_600n;
const SPENT = usdc(5_000);

/** What is said of a swap of 5 000 USDC where more than `threshold` is announced an hour before. */
function said(threshold: bigint, changes: Partial<EvaluationState> = {}, trade: Trade = swap(SPENT), spent = SPENT) {
  const policy = Policy.fromConfig(configOf({ largeTradeValueUsdc: threshold, largeTradeDelay: 3_600 }));
  const { violations } = evaluate({
    policy,
    state: stateOf(changes),
    proposal: { account: at.account, golem: at.golem, trades: [trade] },
    effects: { balances: balancesAfter(spent) },
    now: NOW,
  });

  return violations.map(({ code, args }) => ({ code, args }));
}

/** What was announced of the swap matures at `maturesAt`. */
function announced(
  maturesAt: bigint,
  { sessionId = 1n, trade = swap(SPENT) }: { sessionId?: bigint; trade?: Trade } = {},
) {
  const id = announcementId(sessionId, [trade]);

  return { announcement: { id, sessionId, maturesAt, expiresAt: maturesAt + HOUR } };
}

describe("a large trade", () => {
  it("is one that spends more than the threshold, not as much", () => {
    expect(said(SPENT)).to.deep.equal([]);
    expect(said(SPENT - 1n)).to.deep.equal([{ code: "LargeTradeNotAnnounced", args: [SPENT, SPENT - 1n] }]);
  });

  it("is one that may take more, whatever it takes", () => {
    const inputs = [{ asset: at.usdc, maxAmount: SPENT + 1n }];

    expect(said(SPENT, {}, { ...swap(SPENT), inputs })).to.deep.equal([
      { code: "LargeTradeNotAnnounced", args: [SPENT + 1n, SPENT] },
    ]);
  });

  it("runs from the second it matures in, to the one an hour later", () => {
    const threshold = usdc(1_000);

    expect(said(threshold, announced(NOW))).to.deep.equal([]);
    expect(said(threshold, announced(NOW - HOUR))).to.deep.equal([]);
    expect(said(threshold, announced(NOW + 1n))).to.deep.equal([
      { code: "LargeTradeNotMature", args: [NOW, NOW + 1n] },
    ]);
    expect(said(threshold, announced(NOW - HOUR - 1n))).to.deep.equal([
      { code: "LargeTradeExpired", args: [NOW, NOW - 1n] },
    ]);
  });

  it("is not announced by another's announcement", () => {
    const other = announced(NOW, { trade: { ...swap(SPENT), outputs: [] } });

    expect(said(usdc(1_000), other)[0]?.code).to.equal("LargeTradeNotAnnounced");
    expect(said(usdc(1_000), announced(NOW, { trade: { ...swap(SPENT), value: 1n } }))[0]?.code).to.equal(
      "LargeTradeNotAnnounced",
    );
  });

  it("is announced whatever else its calldata says", () => {
    const trade = swap(SPENT, swapData(SPENT - 1n));

    expect(said(usdc(1_000), announced(NOW, { trade }))).to.deep.equal([]);
  });
});
