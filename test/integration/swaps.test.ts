import { expect } from "chai";
import { ether, usdc } from "../../scripts/local/world.ts";
import { execute, expectPassed, expectRefused, useArena } from "./support/arena.ts";

describe("swaps on Uniswap V3", () => {
  const arena = useArena();

  it("buys WETH with USDC in one hop", async () => {
    const { world, trades, account } = arena;
    const { usdc: USDC, weth: WETH } = world.tokens;
    const before = await world.balanceOf(WETH.address, account.address);

    expectPassed(await execute(arena, [trades.swap([USDC.address, 500, WETH.address], usdc(9_000))]));

    const bought = (await world.balanceOf(WETH.address, account.address)) - before;
    expect(bought > ether("4.49") && bought < ether("4.5")).to.equal(true);
    expect(await world.balanceOf(USDC.address, account.address)).to.equal(usdc(691_000));
  });

  it("refuses the same swap with the attacker as recipient", async () => {
    const { world, trades } = arena;
    const { usdc: USDC, weth: WETH } = world.tokens;
    const recipient = world.people.attacker.address;

    const outcome = await execute(arena, [trades.swap([USDC.address, 500, WETH.address], usdc(9_000), { recipient })]);

    expectRefused(outcome, "TradeLossExceeded", [usdc(9_000), usdc("90.01")]);
  });
});
