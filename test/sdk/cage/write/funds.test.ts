import { expect } from "chai";
import { createPublicClient, createWalletClient, http, type PublicClient } from "viem";
import { hardhat } from "viem/chains";
import { cageCall } from "../../../../sdk/cage/write/calls.ts";
import { NoFundsError } from "../../../../sdk/cage/write/funds.ts";
import { type Clients, sendCall } from "../../../../sdk/cage/write/send.ts";
import { type Answers, Fault, startDouble } from "../../support/node-double.ts";
import { type Guarded, type Stage, setStage } from "../../support/stage.ts";

describe("a key without funds", () => {
  let stage: Stage;
  let guarded: Guarded;
  let double: Awaited<ReturnType<typeof startDouble>>;
  let owner: Clients;

  before(async () => {
    stage = await setStage();
    guarded = await stage.start();
    double = await startDouble(stage.node.url);
    const options = {
      chain: hardhat,
      transport: http(double.url, { retryCount: 0 }),
      pollingInterval: 20,
      cacheTime: 0,
    };
    const { account } = stage.people.owner;
    owner = {
      reader: createPublicClient(options) as PublicClient,
      wallet: createWalletClient({ ...options, account }),
    };
    await stage.node.test.setBalance({ address: account.address, value: 1_000n });
  });

  after(async () => {
    double.close();
    await stage.node.close();
  });

  const halt = () => sendCall(owner, cageCall(guarded.cage, "emergencyHalt", []));

  const fail = (message: string) => () => {
    throw new Fault(-32_000, message);
  };

  const NODES: Record<string, Answers> = {
    "as Hardhat does": {},
    "by a bound on gas, as Geth does for an estimate": {
      eth_estimateGas: ([request], ask) =>
        (request as { maxFeePerGas?: unknown }).maxFeePerGas === undefined
          ? ask("eth_estimateGas", [request])
          : fail("gas required exceeds allowance (0)")(),
    },
    "when the transaction arrives": {
      eth_estimateGas: () => "0x30d40",
      eth_sendRawTransaction: fail("insufficient funds for gas * price + value: balance 1000, tx cost 2000"),
    },
  };
  for (const [how, answers] of Object.entries(NODES)) {
    it(`is told so, where the node refuses ${how}`, async () => {
      double.answer(answers);

      const error = await halt().catch((caught: unknown) => caught);

      expect(error).to.be.instanceOf(NoFundsError).and.to.include({ code: "NO_FUNDS", balance: 1_000n });
      expect(error).to.have.property("message").that.contains("holds 0.000000000000001 of native currency");
      expect(await stage.reader.getCode({ address: guarded.cage })).to.not.equal(undefined);
    });
  }

  it("is told so of native currency that it wants to send", async () => {
    const { mainWallet, golem } = stage.people;
    const value = 10n ** 30n;

    const error = await sendCall(golem.clients, { to: mainWallet.address, data: "0x", value }).catch(
      (caught: unknown) => caught,
    );

    expect(error).to.be.instanceOf(NoFundsError);
  });

  it("is still told what a contract refuses", async () => {
    double.answer({});

    const error = await sendCall(owner, cageCall(guarded.cage, "setGuardian", [guarded.cage])).catch(
      (caught: unknown) => caught,
    );

    expect(error).to.have.property("name", "CageError");
  });
});
