import { type Address, concatHex, type Hex, numberToHex, pad, size, sliceHex } from "viem";
import { call } from "viem/actions";
import type { Reader } from "../../core/clients.ts";

/**
 * Creation code that asks one view as a cage asks: from a contract, by a static call with a fixed gas stipend, copying at most 160 bytes.
 * What follows it is read as `target`, `stipend` (a word each) and the calldata. It returns whether the call came back, how many bytes it
 * came back with, and the first 160 of them.
 */
const PROBE: Hex = concatHex([
  "0x602a3803", // size of what follows: codesize - 0x2a
  "0x80602a5f39", // codecopy(0, 0x2a, size)
  "0x60409003", // size of the calldata: size - 0x40
  "0x60a061044082", // where the answer goes: 160 bytes at 0x440; the calldata's size
  "0x60405f51602051", // the calldata's place; target; stipend
  "0xfa", // staticcall
  "0x61040052", // 0x400: success
  "0x3d61042052", // 0x420: returndatasize
  "0x60e0610400f3", // return(0x400, 0xe0)
]);

/** What a view answered: none where it reverted, burnt its stipend, or is not there. */
export type Answer = { size: number; words: readonly bigint[] };

export const STIPEND = 100_000n;

const WORDS = 5;

/**
 * The answer of a view within a gas stipend, as of one block.
 * @returns undefined when the call failed; its first words otherwise, at most five, and how many bytes it answered in all.
 * @throws what the client throws when the node does not answer.
 */
export async function probe(
  client: Reader,
  { to, data, stipend = STIPEND, blockNumber }: { to: Address; data: Hex; stipend?: bigint; blockNumber: bigint },
): Promise<Answer | undefined> {
  const question = concatHex([PROBE, pad(to), numberToHex(stipend, { size: 32 }), data]);
  const { data: answer } = await call(client, { data: question, blockNumber });
  if (answer === undefined || size(answer) !== (2 + WORDS) * 32) {
    throw new Error("The node does not run code that is not deployed, which asking contracts needs.");
  }
  const word = (index: number) => BigInt(sliceHex(answer, index * 32, (index + 1) * 32));
  if (word(0) === 0n) return undefined;
  const bytes = Number(word(1));
  const count = Math.min(WORDS, Math.floor(bytes / 32));

  return { size: bytes, words: Array.from({ length: count }, (_, index) => word(2 + index)) };
}
