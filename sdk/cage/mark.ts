import type { Address, Hex, LocalAccount, PublicClient, TransactionReceipt, WalletClient } from "viem";
import { policyCageAbi } from "../abi/generated/policy-cage.ts";
import { cageCall } from "./calls.ts";
import { cageErrorFor, withCageErrors } from "./errors.ts";
import { blockAt } from "./reader.ts";
import { accountOf, type Clients, sendCall } from "./send.ts";

/** A high-water mark as owner or operator sign it. `value` is micro-USDC, times are seconds. */
export type HighWaterMark = { value: bigint; asOf: bigint; nonce: bigint; deadline: bigint };

export type SignedHighWaterMark = { cage: Address; chainId: number; mark: HighWaterMark; signature: Hex };

/** Whoever signs typed data: a viem account, or a wallet client with one. */
export type MarkSigner = LocalAccount | WalletClient;

export type MarkOptions = {
  reader: PublicClient;
  cage: Address;
  /** The mark in micro-USDC. Default: `marginBps` under the NAV the cage reads now. */
  value?: bigint;
  /** Keeps a tick of a feed from voiding the signature. Default: 50, half a percent. */
  marginBps?: number;
  /** Seconds the signature is good for; the cage takes no mark older than an hour. Default: 3600. */
  ttlSeconds?: number;
};

const BPS = 10_000n;
const HOUR = 3_600;

const types = {
  HighWaterMark: [
    { name: "value", type: "uint256" },
    { name: "asOf", type: "uint256" },
    { name: "nonce", type: "uint256" },
    { name: "deadline", type: "uint256" },
  ],
} as const;

/** EIP-712 typed data of a mark in the domain of one cage on one chain: what a multisig's owners sign. */
export function highWaterMarkTypedData(chainId: number, cage: Address, mark: HighWaterMark) {
  return {
    domain: { name: "PolicyCage", version: "1", chainId, verifyingContract: cage },
    types,
    primaryType: "HighWaterMark",
    message: mark,
  } as const;
}

/**
 * The next mark of a cage.
 * @throws {CageError} `HighWaterMarkNotRaised` when it would not rise; whatever keeps NAV from being read.
 */
export async function nextHighWaterMark(options: MarkOptions): Promise<HighWaterMark> {
  const { reader, cage, marginBps = 50, ttlSeconds = HOUR } = options;
  const { number, timestamp } = await blockAt(reader);
  const read = <Name extends "nav" | "highWaterMark" | "highWaterMarkNonce">(functionName: Name) =>
    withCageErrors(() => reader.readContract({ abi: policyCageAbi, address: cage, functionName, blockNumber: number }));
  const [nav, current, nonce] = await Promise.all([read("nav"), read("highWaterMark"), read("highWaterMarkNonce")]);
  const value = options.value ?? (nav * (BPS - BigInt(marginBps))) / BPS;
  if (value <= current) throw cageErrorFor("HighWaterMarkNotRaised", [value, current]);

  return { value, asOf: timestamp, nonce, deadline: timestamp + BigInt(ttlSeconds) };
}

/** Signs the next mark of a cage: by default half a percent under the NAV that the cage reads now. */
export async function signHighWaterMark(signer: MarkSigner, options: MarkOptions): Promise<SignedHighWaterMark> {
  const { reader, cage } = options;
  const [mark, chainId] = await Promise.all([nextHighWaterMark(options), reader.getChainId()]);
  const typedData = highWaterMarkTypedData(chainId, cage, mark);
  const signature = isWallet(signer)
    ? await signer.signTypedData({ account: accountOf(signer), ...typedData })
    : await signer.signTypedData(typedData);

  return { cage, chainId, mark, signature };
}

function isWallet(signer: MarkSigner): signer is WalletClient {
  return "transport" in signer;
}

/** Brings a signed mark to the cage; any wallet may. */
export function submitHighWaterMark(
  clients: Clients,
  { cage, mark, signature }: SignedHighWaterMark,
): Promise<TransactionReceipt> {
  return sendCall(clients, cageCall(cage, "raiseHighWaterMark", [mark, signature]));
}
