import { expect } from "chai";
import { createWalletClient, type Hex, http } from "viem";
import { privateKeyToAccount, toAccount } from "viem/accounts";
import { hardhat } from "viem/chains";
import { readCage } from "../../../../sdk/cage/read/reader.ts";
import { cageCall } from "../../../../sdk/cage/write/calls.ts";
import { signHighWaterMark, submitHighWaterMark } from "../../../../sdk/cage/write/mark.ts";
import { sendCall } from "../../../../sdk/cage/write/send.ts";
import { deployMetaMaskAccount } from "../../support/metamask-account.ts";
import { keyOf } from "../../support/node.ts";
import { type Stage, setStage, usdc } from "../../support/stage.ts";

describe("an owner that is no plain key", () => {
  let stage: Stage;

  before(async () => {
    stage = await setStage();
  });

  after(() => stage.node.close());

  it("runs a setter and signs a mark as a smart account of MetaMask's framework", async () => {
    const { account: root, address: rootAddress } = stage.people.owner;
    const owner = await deployMetaMaskAccount(stage, root);
    const guarded = await stage.deploy({}, { owner: owner.address });
    await stage.mint(guarded.account, usdc(50_000));
    expect(owner.address).not.to.equal(rootAddress);

    const setter = cageCall(guarded.cage, "setMaxPositions", [3n]);
    await owner.execute(cageCall(guarded.cage, "submit", [setter.data]));
    await stage.node.travel(48 * 3_600);
    await owner.execute(setter);
    const signed = await signHighWaterMark(root, { reader: stage.reader, cage: guarded.cage });
    const stranger = await signHighWaterMark(stage.people.stranger.account, {
      reader: stage.reader,
      cage: guarded.cage,
    });
    const refused = await submitHighWaterMark(stage.people.stranger.clients, stranger).catch((error: unknown) => error);
    await submitHighWaterMark(stage.people.stranger.clients, signed);

    const { policy, highWaterMark } = await readCage(stage.reader, guarded.cage);
    expect(policy.maxPositions).to.equal(3);
    expect(highWaterMark).to.equal(usdc(49_750));
    expect(refused).to.have.property("name", "CageError");
  });

  it("runs a setter and signs a mark as an account whose key lies with a service", async () => {
    // As Privy's account for viem: an address, and functions that ask elsewhere.
    const served = privateKeyToAccount(keyOf("owner"));
    const asked: string[] = [];
    const ask = <Input, Output>(what: string, work: (input: Input) => Promise<Output>) => {
      return async (input: Input) => {
        asked.push(what);

        return work(input);
      };
    };
    const account = toAccount({
      address: served.address,
      signMessage: ask("message", served.signMessage),
      signTransaction: ask("transaction", (transaction: Parameters<typeof served.signTransaction>[0]) =>
        served.signTransaction(transaction),
      ) as typeof served.signTransaction,
      signTypedData: ask("typed data", (data: Parameters<typeof served.signTypedData>[0]) =>
        served.signTypedData(data),
      ) as typeof served.signTypedData,
    });
    const { reader } = stage.people.owner.clients;
    const wallet = createWalletClient({
      account,
      chain: hardhat,
      transport: http(stage.node.url),
      pollingInterval: 20,
    });
    const guarded = await stage.deploy({}, { owner: account.address });
    await stage.mint(guarded.account, usdc(50_000));

    const setter = cageCall(guarded.cage, "setMaxPositions", [4n]);
    await sendCall({ reader, wallet }, cageCall(guarded.cage, "submit", [setter.data as Hex]));
    await stage.node.travel(48 * 3_600);
    await sendCall({ reader, wallet }, setter);
    const signed = await signHighWaterMark(wallet, { reader, cage: guarded.cage });
    await submitHighWaterMark({ reader, wallet }, signed);

    const { policy, highWaterMark } = await readCage(stage.reader, guarded.cage);
    expect(policy.maxPositions).to.equal(4);
    expect(highWaterMark).to.equal(usdc(49_750));
    expect(asked).to.deep.equal(["transaction", "transaction", "typed data", "transaction"]);
  });
});
