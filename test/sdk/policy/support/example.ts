import { encodeFunctionData, getAddress, type Hex } from "viem";
import { cagedAccountAbi } from "../../../../sdk/abi/index.ts";
import { PolicyBuilder, usdc } from "../../../../sdk/index.ts";

/** An address by number. */
const at = (number: number) => getAddress(`0x${number.toString(16).padStart(40, "0")}`);

export const USDC = at(0xa0);
export const WETH = at(0xb0);
const MAIN_WALLET = at(0x10);
export const CLADE_WALLET = at(0x20);
export const STRANGER = at(0xbad);
export const ACCOUNT = at(0xacc);
export const CHAIN_ID = 8453;

const FEED = { feed: at(0xe0), heartbeat: 3_600, minAnswer: 1n, maxAnswer: 10n ** 12n };

/** Two assets, two recipients, the default limits. */
export const example = new PolicyBuilder()
  .transferRestriction("clade")
  .mainWallet(MAIN_WALLET)
  .cladeWallets([CLADE_WALLET])
  .baseAsset(USDC)
  .wrappedNative(WETH)
  .approvedAssets([USDC, WETH])
  .priceFeed(USDC, FEED)
  .priceFeed(WETH, FEED)
  .sanctionOracle(at(4));

const trade = { protocol: at(0xd0), value: 0n, data: "0x12345678", inputs: [], outputs: [] } as const;

/** Calls of a golem, and some that are none. */
export const calls = {
  execute: encodeFunctionData({ abi: cagedAccountAbi, functionName: "execute", args: [[trade]] }),
  attempt: encodeFunctionData({ abi: cagedAccountAbi, functionName: "attempt", args: [[trade]] }),
  withdraw: encodeFunctionData({ abi: cagedAccountAbi, functionName: "withdraw", args: [USDC, 1n, STRANGER] }),
  ownerExecute: encodeFunctionData({ abi: cagedAccountAbi, functionName: "ownerExecute", args: [[]] }),
  executeAs: encodeFunctionData({ abi: cagedAccountAbi, functionName: "executeAs", args: [STRANGER, []] }),
};

export function transferOf(asset = USDC, amount = usdc(10_000), recipient = MAIN_WALLET): Hex {
  return encodeFunctionData({ abi: cagedAccountAbi, functionName: "transferOut", args: [asset, amount, recipient] });
}
