import { expect } from "chai";
import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  getAddress,
  type Hex,
  keccak256,
  parseAbi,
  serializeTransaction,
  toHex,
} from "viem";
import { PiiDeidentifier } from "../../../../../sdk/safety/index.ts";
import { maskedBy, shown } from "../support.ts";

const abi = parseAbi([
  "function transfer(address to, uint256 amount)",
  "function multicall(uint256 deadline, bytes[] calls)",
  "function exactInput((bytes path, address recipient, uint256 amountIn, uint256 amountOutMinimum))",
]);

const addressOf = (name: string): Address => getAddress(keccak256(toHex(name)).slice(0, 42));
const [ALICE, BOB, CAROL] = [addressOf("alice"), addressOf("bob"), addressOf("carol")];
const AMOUNT = 123_456_789_000_000_000_000n;
const AMOUNT_DIGITS = AMOUNT.toString(16);

/** What is hidden of a text, digits of addresses in lower case; fails where it does not come back. */
function masked(text: string): string {
  const session = new PiiDeidentifier();
  const result = session.mask(text, "tool");
  if (result.kind === "blocked") throw new Error("blocked");
  expect(session.restore(result.text)).to.equal(text);

  return result.text.toLowerCase();
}

function expectHidden(text: string, ...addresses: Address[]): void {
  const shownText = masked(text);
  for (const address of addresses) expect(shownText).not.to.contain(address.slice(2).toLowerCase());
}

describe("addresses within other values", () => {
  const transfer = encodeFunctionData({ abi, functionName: "transfer", args: [ALICE, AMOUNT] });

  it("are masked in calldata, and amounts stay readable", () => {
    expectHidden(`data: ${transfer}`, ALICE);
    expect(masked(transfer)).to.contain(AMOUNT_DIGITS.padStart(64, "0"));
    expectHidden(`${transfer}c0ffee`, ALICE);
    expectHidden(transfer.slice(2), ALICE);
  });

  it("are the same wallet there as elsewhere", () => {
    const session = new PiiDeidentifier();

    expect(shown(session, `${ALICE} ${transfer}`)).to.match(/^\[WALLET_1\] 0xa9059cbb0{24}\[WALLET_1b\]0/);
  });

  it("are masked in calls within calls", () => {
    const inner = encodeFunctionData({ abi, functionName: "transfer", args: [BOB, AMOUNT] });
    const path = encodePacked(["address", "uint24", "address", "uint24", "address"], [ALICE, 500, BOB, 3000, CAROL]);
    const swap = encodeFunctionData({
      abi,
      functionName: "exactInput",
      args: [{ path, recipient: CAROL, amountIn: AMOUNT, amountOutMinimum: 1n }],
    });
    const middle = encodeFunctionData({ abi, functionName: "multicall", args: [36n, [inner, swap]] });
    const outer = encodeFunctionData({ abi, functionName: "multicall", args: [1_700_000_000n, [transfer, middle]] });

    expectHidden(outer, ALICE, BOB, CAROL);
    expect(masked(outer)).to.contain(AMOUNT_DIGITS.padStart(64, "0"));
  });

  it("are masked in the data of events and in topics", () => {
    const data = encodeAbiParameters(
      [{ type: "address" }, { type: "uint256" }, { type: "address[]" }],
      [ALICE, AMOUNT, [BOB, CAROL]],
    );

    expectHidden(`{"data":"${data}"}`, ALICE, BOB, CAROL);
    expectHidden(`{"topics":["0x${ALICE.slice(2).toLowerCase().padStart(64, "0")}"]}`, ALICE);
  });

  it("are masked in raw transactions", () => {
    const fees = { chainId: 1, nonce: 7, gas: 21_000n, value: AMOUNT, to: BOB, data: transfer } as const;
    const signature = { r: keccak256("0x01"), s: keccak256("0x02"), v: 27n } as const;
    for (const raw of [
      serializeTransaction({ ...fees, type: "legacy", gasPrice: 9n }, signature),
      serializeTransaction({ ...fees, type: "eip1559", maxFeePerGas: 9n, maxPriorityFeePerGas: 1n }, signature),
      serializeTransaction(
        {
          ...fees,
          type: "eip2930",
          gasPrice: 9n,
          accessList: [{ address: CAROL, storageKeys: [keccak256("0x03")] }],
        },
        signature,
      ),
    ]) {
      expectHidden(raw, ALICE, BOB);
      expect(masked(raw)).to.contain(AMOUNT_DIGITS);
    }
  });

  it("are masked in the code of contracts, of proxies and of accounts that delegate", () => {
    const digits = ALICE.slice(2).toLowerCase();
    const proxy: Hex = `0x363d3d373d3d3d363d73${digits}5af43d82803e903d91602b57fd5bf3`;
    const code: Hex = `0x6080604052348015600e575f5ffd5b5073${digits}1673${"f".repeat(40)}167f${"0".repeat(24)}${BOB.slice(2).toLowerCase()}00`;

    expectHidden(proxy, ALICE);
    expectHidden(code, ALICE, BOB);
    expect(masked(code)).to.contain("f".repeat(40));
    expectHidden(`0xef0100${digits}`, ALICE);
  });

  it("are masked where another follows at once", () => {
    expectHidden(`${ALICE}${BOB}${CAROL}`, ALICE, BOB, CAROL);
    expectHidden(`${ALICE}0xdata`, ALICE);
  });

  it("are masked without 0x by their checksum, by their name, and where the session knows them", () => {
    const lower = BOB.slice(2).toLowerCase();
    expectHidden(`see ${ALICE.slice(2)}`, ALICE);
    for (const name of ["wallet", "address: ", '"to":"', "| owner | ", "walletAddress=", "contract at "]) {
      expectHidden(name + (name.endsWith(" ") || /["=]$/.test(name) ? "" : " ") + lower, BOB);
    }
    for (const text of [`commit ${lower}`, `merge ${lower} into main`, `sha1 ${lower}`]) {
      expect(masked(text)).to.equal(text);
    }
    const session = new PiiDeidentifier();
    maskedBy(session, BOB);
    expect(shown(session, `commit ${lower}`)).to.equal("commit [WALLET_1b]");
  });

  it("are not seen in bytes that only look long", () => {
    for (const text of [
      `0x${"ab".repeat(100)}`,
      `0x${"0".repeat(400)}`,
      `0x${"f".repeat(400)}`,
      `0x${AMOUNT_DIGITS.padStart(64, "0").repeat(5)}`,
      `0xa9059cbb${AMOUNT_DIGITS.padStart(64, "0").repeat(5)}`,
    ]) {
      expect(masked(text)).to.equal(text);
    }
  });
});
