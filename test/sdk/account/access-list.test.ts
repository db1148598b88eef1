import { expect } from "chai";
import { type Address, createPublicClient, createWalletClient, type Hex, http, type PublicClient } from "viem";
import { arbitrum, base, hardhat, optimism } from "viem/chains";
import { market } from "../../../deploy/market.ts";
import { attempt, execute, transferOut } from "../../../sdk/account/account.ts";
import { cheaperWithList } from "../../../sdk/cage/write/access-list.ts";
import { accountCall, cageCall } from "../../../sdk/cage/write/calls.ts";
import { type Clients, sendCall } from "../../../sdk/cage/write/send.ts";
import { type Answers, createAccessList, Fault, simulateOne, startDouble } from "../support/node-double.ts";
import { ether, type Guarded, type Stage, setStage, usdc } from "../support/stage.ts";

const NOBODY: Address = "0x00000000000000000000000000000000000dEaD1";

type AccessListAnswer = Awaited<ReturnType<typeof createAccessList>>;

describe("the access list of a transaction", () => {
  let stage: Stage;
  let guarded: Guarded;
  let double: Awaited<ReturnType<typeof startDouble>>;
  let golem: Clients;
  let snapshot: Hex;

  before(async () => {
    stage = await setStage();
    guarded = await stage.start();
    double = await startDouble(stage.node.url);
    golem = clientsOf("golem");
    snapshot = await stage.node.test.snapshot();
  });

  afterEach(async () => {
    double.answer({});
    await stage.node.test.revert({ id: snapshot });
    snapshot = await stage.node.test.snapshot();
  });

  after(async () => {
    double.close();
    await stage.node.close();
  });

  function clientsOf(person: "golem" | "owner"): Clients {
    const options = {
      chain: hardhat,
      transport: http(double.url, { retryCount: 0 }),
      pollingInterval: 20,
      cacheTime: 0,
    };
    const { account } = stage.people[person];

    return {
      reader: createPublicClient(options) as PublicClient,
      wallet: createWalletClient({ ...options, account }),
    };
  }

  const trades = (price = "0.995") => [stage.swap(guarded, usdc(2_000), ether(price))];

  const listOf = async (hash: Hex) => (await stage.reader.getTransaction({ hash })).accessList ?? [];

  type Sent = { transactionHash: Hex; gasUsed: bigint };

  /** What the same transaction uses without a list and, on the same state, with what the double answers. */
  async function compare(answers: Answers, send: () => Promise<Sent>) {
    double.answer({});
    const without = await send();
    await stage.node.test.revert({ id: snapshot });
    snapshot = await stage.node.test.snapshot();
    double.answer(answers);
    const sent = await send();

    return { without: without.gasUsed, used: sent.gasUsed, list: await listOf(sent.transactionHash), sent };
  }

  const swap = () => execute(golem, { account: guarded.account, trades: trades() });

  for (const [name, answers] of [
    ["estimates", { eth_createAccessList: createAccessList }],
    ["simulates", { eth_createAccessList: createAccessList, eth_simulateV1: simulateOne }],
  ] as const) {
    it(`makes an execution cheaper, where the node ${name}`, async () => {
      const { without, used, list } = await compare(answers, swap);

      expect(list.length).to.be.at.least(5);
      expect(Number(without - used)).to.be.at.least(2_000);
    });
  }

  it("makes an attempt and a transfer cheaper", async () => {
    const answers = { eth_createAccessList: createAccessList, eth_simulateV1: simulateOne };
    const { account } = guarded;
    const recipient = stage.people.mainWallet.address;

    const attempted = await compare(answers, () => attempt(golem, { account, trades: trades() }));
    const refused = await compare(answers, () => attempt(golem, { account, trades: trades("0.5") }));
    const transferred = await compare(answers, () =>
      transferOut(golem, { account, asset: market.usdc, amount: usdc(500), recipient }),
    );

    expect(refused.sent).to.have.property("executed", false);
    for (const { without, used, list } of [attempted, refused, transferred]) {
      expect(list.length).to.be.at.least(3);
      expect(Number(without - used)).to.be.at.least(500);
    }
  });

  it("never makes a call of the owner dearer", async () => {
    const owner = clientsOf("owner");
    const { cage } = guarded;
    const setGuardian = cageCall(cage, "setGuardian", [NOBODY]);
    for (const call of [cageCall(cage, "emergencyHalt", []), cageCall(cage, "submit", [setGuardian.data])]) {
      const { without, used } = await compare({ eth_createAccessList: createAccessList }, () => sendCall(owner, call));

      expect(used <= without, `${used} against ${without}`).to.equal(true);
    }
  });

  it("names neither target nor sender unless it has words of theirs", async () => {
    const sender = stage.people.golem.address;
    const { list } = await compare(
      {
        eth_createAccessList: async (params, ask) => {
          const { accessList, gasUsed } = await createAccessList(params, ask);
          const bare = [guarded.account.toLowerCase(), sender].map((address) => ({ address, storageKeys: [] }));

          return { accessList: [...bare, ...accessList], gasUsed };
        },
      },
      swap,
    );

    expect(list.length).to.be.at.least(5);
    const bare = list.filter(({ storageKeys }) => storageKeys.length === 0).map(({ address }) => address.toLowerCase());
    expect(bare).to.not.include(guarded.account.toLowerCase()).and.to.not.include(sender.toLowerCase());
  });

  it("is judged by gas used, not by gas limits, and leaves a limit that is enough without it", async () => {
    let limit = 0n;
    const { without, used, sent } = await compare(
      {
        eth_createAccessList: createAccessList,
        eth_simulateV1: simulateOne,
        // A call that wants much gas to be left early on needs a higher limit with a list.
        eth_estimateGas: async (params, ask) => {
          const estimate = BigInt((await ask("eth_estimateGas", params)) as Hex);
          const isListed = (params[0] as { accessList?: unknown }).accessList !== undefined;
          if (isListed) limit = estimate + 20_000n;

          return `0x${(isListed ? limit : estimate).toString(16)}`;
        },
      },
      swap,
    );

    expect(used < without).to.equal(true);
    expect(limit > 0n).to.equal(true);
    expect((await stage.reader.getTransaction({ hash: sent.transactionHash })).gas).to.equal(limit);
  });

  const changed = (change: (answer: AccessListAnswer) => unknown): Answers => ({
    eth_createAccessList: async (params, ask) => change(await createAccessList(params, ask)),
  });
  const strangers = Array.from({ length: 4 }, (_, index) => ({
    address: `0x${String(index + 1).padStart(40, "7")}`,
    storageKeys: [],
  }));
  const NONE: Record<string, Answers> = {
    "does not know the method": {
      eth_createAccessList: () => {
        throw new Fault(-32601, "the method eth_createAccessList does not exist");
      },
    },
    "fails at it": {
      eth_createAccessList: () => {
        throw new Fault(-32603, "internal error");
      },
    },
    "reports an error beside a list": changed((answer) => ({ ...answer, error: "execution reverted" })),
    "answers nothing": changed(() => null),
    "answers a list that is none": changed(({ gasUsed }) => ({ accessList: "0x", gasUsed })),
    "answers words that are too short": changed(({ accessList, gasUsed }) => ({
      accessList: accessList.map((entry) => ({ ...entry, storageKeys: ["0x1"] })),
      gasUsed,
    })),
    "answers an empty list": changed(({ gasUsed }) => ({ accessList: [], gasUsed })),
    "answers a list that costs more than it saves": changed(({ accessList, gasUsed }) => ({
      accessList: [...accessList, ...strangers],
      gasUsed,
    })),
    "simulates that the list costs more than it saves": {
      ...changed(({ accessList, gasUsed }) => ({ accessList: [...accessList, ...strangers], gasUsed })),
      eth_simulateV1: simulateOne,
    },
  };
  for (const [name, answers] of Object.entries(NONE)) {
    it(`is left out where the node ${name}`, async () => {
      const { without, used, list } = await compare(answers, swap);

      expect(double.asked).to.include("eth_createAccessList");
      expect(list).to.deep.equal([]);
      expect(used).to.equal(without);
    });
  }

  it("is not asked for on a rollup, nor on a chain that nobody has looked at", async () => {
    const call = accountCall(guarded.account, "execute", [trades()]);
    const { account } = stage.people.golem;
    const listOn = (wallet: Clients["wallet"]) => cheaperWithList({ reader: golem.reader, wallet, account }, call);
    double.answer({ eth_createAccessList: createAccessList });
    expect(await listOn(golem.wallet)).to.have.property("accessList");

    double.answer({ eth_createAccessList: createAccessList, eth_chainId: () => "0xa" });
    for (const chain of [base, optimism, arbitrum, { ...hardhat, id: 424_242 }, undefined]) {
      const wallet = createWalletClient({ account, chain, transport: http(double.url) }) as Clients["wallet"];
      expect(await listOn(wallet), chain?.name).to.equal(undefined);
    }
    expect(double.asked).to.not.include("eth_createAccessList");
  });

  it("is not asked for where somebody else makes the transaction", async () => {
    const call = accountCall(guarded.account, "execute", [trades()]);
    double.answer({ eth_createAccessList: createAccessList });
    const { address } = stage.people.golem;

    const list = await cheaperWithList({ ...golem, account: { type: "json-rpc", address } }, call);

    expect(list).to.equal(undefined);
    expect(double.asked).to.deep.equal([]);
  });
});
