import { expect } from "chai";
import { market } from "../../../../deploy/market.ts";
import { accountCall, cageCall, submission } from "../../../../sdk/cage/write/calls.ts";
import { sendCall } from "../../../../sdk/cage/write/send.ts";
import { configOf } from "../../support/policy.ts";
import { ether, type Guarded, type Stage, setStage, usdc } from "../../support/stage.ts";
import { createShell, type Shell } from "../support/shell.ts";

describe("policycage status", () => {
  let stage: Stage;
  let guarded: Guarded;
  let shell: Shell;

  before(async () => {
    stage = await setStage();
    shell = createShell({ POLICYCAGE_RPC: stage.node.url });
  });

  after(async () => {
    shell.folder.remove();
    await stage.node.close();
  });

  async function use(cage: Guarded): Promise<void> {
    guarded = cage;
    shell.env.POLICYCAGE_CAGE = cage.cage;
  }

  const status = () => shell.expectRun(["status"]);
  const asJson = async () => JSON.parse(await shell.expectRun(["status", "--json"]));
  const byOwner = (functionName: "emergencyHalt" | "resume" | "closeSession") =>
    sendCall(stage.people.owner.clients, cageCall(guarded.cage, functionName, []));

  it("shows what a trade may spend now: nothing when halted, between executions, or without a session", async () => {
    await use(await stage.start({ minRebalanceInterval: 3_600 }));
    expect(await status()).to.contain("may spend   $10,000.00 now");

    const trades = [stage.swap(guarded, usdc(8_000), ether(4))];
    await sendCall(stage.people.golem.clients, accountCall(guarded.account, "execute", [trades]));
    const between = await status();
    expect(between)
      .to.contain("may spend   $0.00 now")
      .and.to.match(/not now: the next execution may start in (59|1 h)/);
    await stage.node.travel(3_600);
    expect(await status()).to.contain("may spend   $10,000.00 now");

    await byOwner("emergencyHalt");
    const halted = await asJson();
    expect(halted.headroom.spendableUsdc).to.equal("0");
    expect(halted.obstacles).to.deep.equal(["the cage is halted"]);
    expect(await status()).to.match(/^HALTED: no execution starts/);
    await byOwner("resume");
    await byOwner("closeSession");
    expect((await asJson()).obstacles).to.deep.equal(["no session is open"]);
  });

  it("shows pending changes whole, as the difference they make, with their id, and which way", async () => {
    await use(await stage.start());
    const selectors = ["0x11111111", "0x22222222"] as const;
    const pairs = selectors.map((selector) => ({ protocol: market.exchange, selector }));
    const changes = [
      cageCall(guarded.cage, "setStrategies", [pairs, true]),
      cageCall(guarded.cage, "setMaxPositions", [3n]),
    ];
    for (const change of changes) await sendCall(stage.people.owner.clients, submission(change));

    const answer = await status();

    expect(answer).to.contain("setStrategies, looser").and.to.contain("setMaxPositions, stricter");
    for (const selector of selectors) expect(answer).to.contain(`${market.exchange} ${selector}`);
    expect(answer).to.contain("maxPositions: 10 → 3");
    const { pending, alarms } = await asJson();
    for (const { id } of pending) expect(answer).to.contain(`id ${id}`);
    const loosening = alarms.filter(({ text }: { text: string }) => text.startsWith("LOOSER RULES ARE PENDING"));
    expect(loosening).to.have.length(1);
    expect(loosening[0].text).to.contain("setStrategies may run in");
  });

  it("sounds the alarm for every pending change that is not stricter, with the command that revokes it", async () => {
    await use(await stage.start());
    const { stranger } = stage.people;
    const thief = stranger.address;
    const feed = configOf(undefined, thief).assets.find(({ asset }) => asset === market.weth)?.priceFeed;
    if (feed === undefined) throw new Error("WETH is not listed.");
    for (const change of [
      cageCall(guarded.cage, "setRecipients", [true, thief, []]),
      cageCall(guarded.cage, "setPriceFeed", [market.weth, { ...feed, feed: thief }]),
      cageCall(guarded.cage, "setSanctionOracle", [thief]),
      cageCall(guarded.cage, "setOperator", [thief]),
      cageCall(guarded.cage, "setGuardian", [thief]),
      cageCall(guarded.cage, "removeAsset", [market.weth]),
      cageCall(guarded.cage, "setMaxPositions", [3n]),
    ]) {
      await sendCall(stage.people.owner.clients, submission(change));
    }

    const { pending, alarms } = await asJson();

    const texts = alarms.map(({ text }: { text: string }) => text).join("\n");
    for (const { functionName, id } of pending) {
      if (functionName === "setMaxPositions") expect(texts).not.to.contain(id);
      else expect(texts).to.match(new RegExp(`ARE PENDING: ${functionName} may run.*policycage revoke ${id}`));
    }
    expect(pending).to.have.length(7);
    expect(texts.match(/LOOSER RULES ARE PENDING/g)).to.have.length(5);
    expect(texts.match(/RULES THAT ARE NOT STRICTER ARE PENDING: removeAsset/g)).to.have.length(1);
  });

  it("sounds the alarm when no protocol is approved", async () => {
    await use(await stage.start({ approvedProtocols: [], strategyWhitelist: [] }));

    expect(await status()).to.contain("No protocol is approved: the golem can trade nowhere.");
  });

  it("fits 80 columns, whatever it has to say", async () => {
    await use(await stage.start({ perDayCapUsdc: usdc(10_000_000), perTransactionCapUsdc: usdc(1_000_000) }));
    const { owner, stranger } = stage.people;
    for (const change of [
      cageCall(guarded.cage, "setRecipients", [true, stranger.address, [owner.address]]),
      cageCall(guarded.cage, "setGuardian", [stranger.address]),
      cageCall(guarded.cage, "setSpendingCaps", [usdc(500_000), usdc(9_000_000)]),
    ]) {
      await sendCall(owner.clients, submission(change));
    }
    await sendCall(owner.clients, cageCall(guarded.cage, "transferOwnership", [stranger.address]));
    await sendCall(owner.clients, cageCall(guarded.cage, "suspendAsset", [market.weth]));
    await stage.mint(guarded.account, usdc("1234567.891234"));
    await byOwner("emergencyHalt");

    const lines = (await status()).trimEnd().split("\n");

    for (const line of lines) {
      // An id and the command that revokes it are for copying, and stand on a line of their own.
      expect(line.length, line).to.be.at.most(80);
    }
    expect(lines.length).to.be.greaterThan(25);
  });
});
