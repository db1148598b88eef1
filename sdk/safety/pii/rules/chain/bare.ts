import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { readable } from "./hex.ts";

/** Names of what has an address, right before it. */
const NAMED =
  /\b(?:address|addresses|addr|wallets?|accounts?|owners?|recipients?|receivers?|beneficiary|senders?|payee|payer|signers?|contracts?|tokens?|spender|holders?|miner|coinbase|pool|vault|treasury|deployer|proxy|implementation)\b[^a-z0-9]{0,12}(?:(?:is|at|was)\b[^a-z0-9]{0,4})?$/;
const FIELD = /["'](?:from|to)["']?\s{0,2}:\s{0,2}["']$/i;

/** Whether 40 hex digits without 0x are an address: by EIP-55, or by what the text calls them. A commit of Git looks the same. */
export function isBareAddress(text: string, start: number): boolean {
  const digits = text.slice(start, start + 40);
  if (/[a-f]/.test(digits) && /[A-F]/.test(digits)) return hasMixedCaseChecksum(digits);
  const before = text.slice(Math.max(0, start - 40), start);

  return FIELD.test(before) || NAMED.test(readable(before));
}

function hasMixedCaseChecksum(digits: string): boolean {
  const lower = digits.toLowerCase();
  const hash = bytesToHex(keccak_256(utf8ToBytes(lower)));

  return [...lower].every(
    (digit, index) =>
      (Number.parseInt(hash.charAt(index), 16) > 7 ? digit.toUpperCase() : digit) === digits.charAt(index),
  );
}
