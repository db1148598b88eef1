import { expect } from "chai";
import { networks } from "../../../deploy/networks.ts";
import { explorerLink } from "../../../sdk/cli/connect/explorer.ts";

const CAGE = "0x940FCdC151cd7CeF3EfA5794696fD043090375c9";

describe("where deploy says that a cage can be looked at", () => {
  it("is the explorer of each public network", async () => {
    for (const { name, chainId } of Object.values(networks)) {
      expect(await explorerLink(chainId, CAGE), name).to.match(new RegExp(`^https://[a-z.]+/address/${CAGE}$`));
    }
    expect(await explorerLink(8_453, CAGE)).to.equal(`https://basescan.org/address/${CAGE}`);
  });

  it("is nowhere on a local chain", async () => {
    expect(await explorerLink(31_337, CAGE)).to.equal(undefined);
  });
});
