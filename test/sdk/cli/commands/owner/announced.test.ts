import { expect } from "chai";
import { market } from "../../../../../deploy/market.ts";
import { announce, execute } from "../../../../../sdk/account/account.ts";
import { readStatus } from "../../../../../sdk/cage/read/status.ts";
import { announcementId } from "../../../../../sdk/preflight/evaluate/large-trades.ts";
import { keyOf } from "../../../support/node.ts";
import { ether, type Guarded, type Stage, setStage, usdc } from "../../../support/stage.ts";
import { createShell, type Shell } from "../../support/shell.ts";

const DELAY = 7_200;

describe("policycage announced", () => {
  let stage: Stage;
  let guarded: Guarded;
  let shell: Shell;

  before(async () => {
    stage = await setStage();
  });

  beforeEach(async () => {
    guarded = await stage.start({ largeTradeValueUsdc: usdc(1_000), largeTradeDelay: DELAY });
    shell = createShell({
      POLICYCAGE_RPC: stage.node.url,
      POLICYCAGE_CAGE: guarded.cage,
      POLICYCAGE_KEY: keyOf("owner"),
    });
  });

  afterEach(() => shell.folder.remove());

  after(() => stage.node.close());

  const golem = () => stage.people.golem.clients;
  const large = () => ({ account: guarded.account, trades: [stage.swap(guarded, usdc(2_000), ether("0.995"))] });

  it("shows what the golem has announced, which then may run", async () => {
    expect(await shell.expectRun(["announced", "show"])).to.equal("Nothing is announced.\n");
    const early = await execute(golem(), large()).catch((error: unknown) => error);
    expect(early).to.have.property("code", "LargeTradeNotAnnounced");

    const { id, maturesAt, expiresAt } = await announce(golem(), large());

    expect(id).to.equal(announcementId(1n, large().trades));
    expect(expiresAt - maturesAt).to.equal(3_600n);
    const shown = await shell.expectRun(["announced", "show"]);
    expect(shown).to.match(/^May run in 2 h, at .*, until .*\.\ntrade 1: calls 0x\w{8} of 0x\w{40}\n/);
    expect(shown).to.contain("  may take 2000 USDC\n  may bring WETH\n").and.to.contain(`id ${id}\n`);
    const status = await readStatus(stage.reader, guarded.cage);
    expect(status.announced).to.deep.equal({ id, maturesAt, expiresAt });
    expect(status.alarms.map(({ text }) => text).join()).to.contain("A LARGE TRADE IS ANNOUNCED: it may run in 2 h.");

    await stage.node.travel(DELAY);
    expect(await shell.expectRun(["announced", "show"])).to.match(/^May run now, until /);
    expect(await execute(golem(), large())).to.include({ spentUsdc: usdc(2_000) });
    expect((await readStatus(stage.reader, guarded.cage)).announced).to.equal(undefined);
  });

  it("cancels it, once", async () => {
    const { id } = await announce(golem(), large());
    const [shown] = [JSON.parse(await shell.expectRun(["announced", "show", "--json"]))];
    expect(shown).to.include({ id });
    expect(shown.trades[0].inputs).to.deep.equal([{ asset: market.usdc, maxAmount: "2000000000" }]);

    expect(await shell.expectRun(["announced", "cancel"])).to.match(/^Cancelled: what was announced does not run\.\n/);
    expect(await shell.expectRun(["announced", "cancel"])).to.contain("Nothing is announced: nothing was sent.");
    await stage.node.travel(DELAY);
    const late = await execute(golem(), large()).catch((error: unknown) => error);
    expect(late).to.have.property("code", "LargeTradeNotAnnounced");
  });
});
