import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect } from "chai";
import { type Address, encodeAbiParameters, type Hex, keccak256, parseAbi, parseEther, toHex, toRlp } from "viem";
import { PiiDeidentifier } from "../../../../sdk/safety/index.ts";
import { screenToolResult } from "../../../../sdk/safety/pipeline/tool-result.ts";
import { type LocalNode, startNode } from "../../support/node.ts";
import { pipelineOver } from "../pipeline/support.ts";
import { tagged } from "./support.ts";

const WETH = createRequire(import.meta.url).resolve("canonical-weth/build/contracts/WETH9.json");
const abi = parseAbi([
  "function deposit() payable",
  "function transfer(address to, uint256 amount) returns (bool)",
  "function approve(address spender, uint256 amount) returns (bool)",
]);
const AMOUNT = 1_234_567_890_123_456_789n;
const AMOUNT_DIGITS = AMOUNT.toString(16);

type Answer = { method: string; body: string };

/** What a node says to everything that can be asked of it about real transactions. */
async function askEverything(node: LocalNode): Promise<{ answers: readonly Answer[]; owner: Address; hash: Hex }> {
  const owner = await node.person("owner");
  const friend = await node.person("friend");
  const { bytecode } = JSON.parse(readFileSync(WETH, "utf8")) as { bytecode: Hex };
  const send = { account: owner, chain: null } as const;
  const { contractAddress: weth } = await node.done(node.wallet.deployContract({ ...send, abi, bytecode }));
  if (weth === null || weth === undefined) throw new Error("There is no contract.");
  const at = { ...send, address: weth, abi } as const;
  await node.done(node.wallet.writeContract({ ...at, functionName: "deposit", value: parseEther("5") }));
  await node.done(node.wallet.writeContract({ ...at, functionName: "approve", args: [friend.address, AMOUNT] }));
  const { transactionHash: hash, blockHash } = await node.done(
    node.wallet.writeContract({ ...at, functionName: "transfer", args: [friend.address, AMOUNT] }),
  );
  const { input } = await node.reader.getTransaction({ hash });
  const block = await node.reader.getBlock();
  const number = toHex(block.number);
  const call = { from: owner.address, to: weth, data: input };
  const slot = keccak256(encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [friend.address, 3n]));
  const transfer = keccak256(toHex("Transfer(address,address,uint256)"));
  const filter = { fromBlock: "0x0", toBlock: "latest", address: weth };

  const requests: readonly (readonly [string, ...unknown[]])[] = [
    ["web3_clientVersion"],
    ["web3_sha3", "0x1234"],
    ["net_version"],
    ["net_listening"],
    ["net_peerCount"],
    ["eth_accounts"],
    ["eth_blockNumber"],
    ["eth_blobBaseFee"],
    ["eth_chainId"],
    ["eth_coinbase"],
    ["eth_syncing"],
    ["eth_mining"],
    ["eth_gasPrice"],
    ["eth_maxPriorityFeePerGas"],
    ["eth_feeHistory", "0x3", "latest", [10, 50]],
    ["eth_getBalance", owner.address, "latest"],
    ["eth_getTransactionCount", owner.address, "latest"],
    ["eth_getCode", weth, "latest"],
    ["eth_getStorageAt", weth, "0x0", "latest"],
    ["eth_getStorageAt", weth, slot, "latest"],
    ["eth_getProof", weth, [slot], "latest"],
    ["eth_call", call, "latest"],
    ["eth_estimateGas", call],
    ["eth_createAccessList", call, "latest"],
    ["eth_simulateV1", { blockStateCalls: [{ calls: [call] }], traceTransfers: true }, "latest"],
    ["eth_getBlockByHash", blockHash, false],
    ["eth_getBlockByHash", blockHash, true],
    ["eth_getBlockByNumber", number, false],
    ["eth_getBlockByNumber", number, true],
    ["eth_getBlockReceipts", number],
    ["eth_getBlockTransactionCountByHash", blockHash],
    ["eth_getBlockTransactionCountByNumber", number],
    ["eth_getUncleCountByBlockHash", blockHash],
    ["eth_getTransactionByHash", hash],
    ["eth_getTransactionByBlockHashAndIndex", blockHash, "0x0"],
    ["eth_getTransactionByBlockNumberAndIndex", number, "0x0"],
    ["eth_getTransactionReceipt", hash],
    ["eth_getRawTransactionByHash", hash],
    ["eth_getLogs", filter],
    ["eth_getLogs", { ...filter, topics: [transfer] }],
    ["eth_newFilter", filter],
    ["eth_newBlockFilter"],
    ["eth_newPendingTransactionFilter"],
    ["eth_getFilterLogs", "0x1"],
    ["eth_getFilterChanges", "0x2"],
    ["eth_uninstallFilter", "0x1"],
    ["eth_pendingTransactions"],
    ["eth_signTypedData_v4", owner.address, { types: {}, primaryType: "Mail", domain: {}, message: {} }],
    ["eth_sendRawTransaction", "0x02"],
    ["txpool_content"],
    ["debug_getRawBlock", number],
    ["debug_getRawHeader", number],
    ["debug_getRawReceipts", number],
    ["debug_getRawTransaction", hash],
    ["debug_traceTransaction", hash],
    ["debug_traceTransaction", hash, { tracer: "callTracer" }],
    ["debug_traceTransaction", hash, { tracer: "prestateTracer", tracerConfig: { diffMode: true } }],
    ["debug_traceTransaction", hash, { tracer: "4byteTracer" }],
    ["debug_traceCall", call, "latest"],
  ];
  const answers: Answer[] = [];
  for (const [method, ...params] of requests) {
    const response = await fetch(node.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: answers.length, method, params }),
    });
    answers.push({ method, body: await response.text() });
  }

  // What this node does not answer, in the form of one that does.
  const leaf = toRlp([keccak256(weth), toRlp(["0x1", toHex(AMOUNT), slot, keccak256(bytecode)])]);
  const storageProof = [slot, keccak256(slot)].map((key) => ({
    key,
    value: toHex(AMOUNT),
    proof: [leaf, toRlp([key, key])],
  }));
  answers.push({
    method: "eth_getProof, as others answer it",
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      result: {
        address: weth,
        accountProof: [leaf],
        balance: toHex(AMOUNT),
        codeHash: keccak256(bytecode),
        nonce: "0x1",
        storageHash: slot,
        storageProof,
      },
    }),
  });
  const receipts = answers.filter(({ method }) => method === "eth_getTransactionReceipt");
  answers.push({
    method: "eth_getBlockReceipts, as others answer it",
    body: JSON.stringify({ id: 1, result: receipts.map(({ body }) => JSON.parse(body).result) }),
  });
  answers.push({ method: "eth_getStorageAt, alone", body: JSON.stringify({ id: 1, result: slot }) });
  answers.push({
    method: "debug_storageRangeAt",
    body: JSON.stringify({ storage: { [keccak256(slot)]: { key: slot, value: keccak256("0x99") } }, nextKey: slot }),
  });

  return { answers, owner: owner.address, hash };
}

describe("what a chain says", () => {
  let node: LocalNode;
  let answers: readonly Answer[];
  let owner: Address;
  let hash: Hex;

  before(async () => {
    node = await startNode();
    ({ answers, owner, hash } = await askEverything(node));
  });
  after(() => node.close());

  it("passes, whatever was asked: nothing is blocked, and all comes back", async () => {
    const session = new PiiDeidentifier({ ownWallets: [owner] });
    const pipeline = pipelineOver();
    let known = 0;
    for (const { method, body } of answers) {
      const { kind, text, verdict } = await screenToolResult({ pipeline, tool: method, result: body, session });
      expect(kind, `${method}: ${JSON.stringify(verdict).slice(0, 300)}`).to.equal("passed");
      expect(session.restore(text), method).to.equal(body);
      if (!body.includes('"error"')) known += 1;
    }

    expect(known).to.be.greaterThan(35);
  });

  it("shows no address, and every amount", () => {
    const session = new PiiDeidentifier();
    let amounts = 0;
    for (const { method, body } of answers) {
      const result = session.mask(body, "tool");
      if (result.kind === "blocked") throw new Error(`${method} is blocked`);
      expect(result.text.toLowerCase(), method).not.to.contain(owner.slice(2).toLowerCase());
      const count = body.split(AMOUNT_DIGITS).length;
      // Leaves of a trie are bytes of which no part is an amount by itself.
      expect(result.text.split(AMOUNT_DIGITS).length, method).to.equal(count);
      amounts += count - 1;
    }

    expect(amounts).to.be.greaterThan(10);
  });

  it("passes as the tables of explorers", async () => {
    const block = await node.reader.getBlock({ includeTransactions: true });
    const transactions = [
      block,
      await node.reader.getBlock({ blockNumber: block.number - 1n, includeTransactions: true }),
    ].flatMap((found) => found.transactions);
    const tables = [
      [
        '"Transaction Hash","Blockno","UnixTimestamp","DateTime (UTC)","From","To","ContractAddress","Value_IN(ETH)","Status"',
      ],
      [
        '"Parent Txhash","Blockno","UnixTimestamp","DateTime (UTC)","ParentTxFrom","ParentTxTo","ContractAddress","Value","Status"',
      ],
      ["Txhash;Block;Time;Date;From;To;Contract;Amount;Status"],
      [],
    ];
    for (const [header] of tables) {
      const separator = header?.includes(";") === true ? ";" : ",";
      const rows = transactions.map((transaction) =>
        [
          transaction.hash,
          transaction.blockNumber,
          1_800_000_000,
          "2027-01-15 08:00:00",
          transaction.from,
          transaction.to ?? "",
          "",
          "1234.567890123456789",
          "Success",
        ]
          .map((cell) => `"${cell}"`)
          .join(separator),
      );
      const text = [...(header === undefined ? [] : [header]), ...rows].join("\n");
      for (const channel of ["tool", "document"] as const) {
        const session = new PiiDeidentifier();
        const result = session.mask(text, channel);
        if (result.kind === "blocked") throw new Error(`${header} is blocked`);
        expect(result.text.toLowerCase()).not.to.contain(owner.slice(2).toLowerCase());
        expect(result.text.split("1234.567890123456789").length).to.equal(rows.length + 1);
        expect(session.restore(result.text)).to.equal(text);
      }
    }
  });

  const LANGUAGES: Readonly<Record<string, readonly [named: string, asked: string]>> = {
    English: ["The hash of your transaction is", "And what became of"],
    German: ["Der Hash Ihrer Transaktion lautet", "Und was wurde aus"],
    Spanish: ["El hash de la transacción es", "¿Y qué pasó con"],
    Chinese: ["您的交易哈希是", "后来怎么样了："],
    Russian: ["Хеш вашей транзакции:", "А что стало с"],
  };
  for (const [language, [named, asked]] of Object.entries(LANGUAGES)) {
    it(`may be talked about for three turns: ${language}`, () => {
      const session = new PiiDeidentifier();
      const shown = (text: string, channel: "user" | "tool") => {
        const result = session.mask(text, channel);
        if (result.kind === "blocked") throw new Error(`blocked: ${text}`);

        return result.text;
      };

      expect(shown(`{"result":"${hash}"}`, "tool")).to.equal(tagged(session, '{"result":"[HEX_1]"}'));
      expect(session.restore(tagged(session, `${named} [HEX_1].`))).to.equal(`${named} ${hash}.`);
      for (let turn = 0; turn < 3; turn += 1) {
        expect(shown(`${asked} ${hash}?`, "user")).to.equal(tagged(session, `${asked} [HEX_1]?`));
        expect(shown(`${named} ${hash}.`, "user")).to.equal(tagged(session, `${named} [HEX_1].`));
        expect(session.restoreValue({ hash: tagged(session, "[HEX_1]") }, { restores: ["hash"] }).value).to.deep.equal({
          hash,
        });
      }
      expect(new PiiDeidentifier().mask(`${named} ${hash}`).kind).to.equal("masked");
      expect(new PiiDeidentifier().mask(`${named} ${hash}`, "document").kind).to.equal("masked");
    });
  }
});
