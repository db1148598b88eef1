import type { Address, Hex } from "viem";
import { getStorageAt } from "viem/actions";
import { hexToBigInt, toHex } from "viem/utils";
import type { Reader } from "../../core/clients.ts";
import { HOUR } from "../../core/units.ts";

/** What of a day's spending stops counting at one moment. */
export type Release = { at: bigint; amountUsdc: bigint; rebalances: number };

const LANES = 4n;
const LANE_BITS = 56n;
const WORDS = 7;
/** An hour counts until the hour after the twenty-fourth that follows it begins. */
const COUNTED_HOURS = 25n;

/** Storage of a cage: the window's head, then its seven words of lanes. `SlidingWindow.sol` has the layout. */
const HEAD_SLOT = 6n;

type Hour = { hour: bigint; amountUsdc: bigint; rebalances: number };

function bits(word: bigint, offset: bigint, width: bigint): bigint {
  return (word >> offset) & ((1n << width) - 1n);
}

/** A lane's count stands below its sum. */
function laneOf(hour: bigint, lane: bigint): Hour {
  return { hour, amountUsdc: lane >> 8n, rebalances: Number(lane & 0xffn) };
}

/** The running hour of the head: behind the lane of all that counts. */
function headOf(word: bigint): Hour {
  return laneOf(bits(word, 2n * LANE_BITS, 24n), bits(word, LANE_BITS, LANE_BITS));
}

/** The four hours of a word of lanes. */
function hoursOf(word: bigint): Hour[] {
  const block = word >> (LANES * LANE_BITS);

  return [0n, 1n, 2n, 3n].map((index) => {
    return laneOf(block * LANES + index, bits(word, index * LANE_BITS, LANE_BITS));
  });
}

/**
 * When the spending that still counts at `block` is released, by the hour, the next first. The cage answers sums only, so this reads
 * its storage; where the hours do not add up to `expected`, the layout is another one.
 * @throws {Error} when they do not.
 */
export async function readReleases(
  reader: Reader,
  cage: Address,
  { number, timestamp }: { number: bigint; timestamp: bigint },
  expected: { dailySpent: bigint; rebalancesToday: bigint },
): Promise<Release[]> {
  const slots = Array.from({ length: WORDS + 1 }, (_, index) => toHex(HEAD_SLOT + BigInt(index)));
  const words = await Promise.all(slots.map((slot) => wordAt(reader, cage, slot, number)));
  const [head = 0n, ...lanes] = words;
  const now = timestamp / HOUR;
  const counted = [headOf(head), ...lanes.flatMap(hoursOf)]
    .filter(({ hour, rebalances }) => rebalances > 0 && hour <= now && hour + COUNTED_HOURS > now)
    .sort((a, b) => Number(a.hour - b.hour));
  const releases = counted.map(({ hour, amountUsdc, rebalances }) => ({
    at: (hour + COUNTED_HOURS) * HOUR,
    amountUsdc,
    rebalances,
  }));

  const sum = releases.reduce((total, { amountUsdc }) => total + amountUsdc, 0n);
  const count = releases.reduce((total, { rebalances }) => total + rebalances, 0);
  if (sum !== expected.dailySpent || BigInt(count) !== expected.rebalancesToday) {
    throw new Error(`The storage of ${cage} is laid out differently: this version of the SDK cannot read its window.`);
  }

  return releases;
}

async function wordAt(reader: Reader, address: Address, slot: Hex, blockNumber: bigint): Promise<bigint> {
  return hexToBigInt((await getStorageAt(reader, { address, slot, blockNumber })) ?? "0x0");
}
