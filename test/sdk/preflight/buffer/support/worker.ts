// A process of its own that works on a buffer, and says what it has been promised: "reserve FILE CAP" takes all the room there is in
// small pieces, "write FILE ROUND" records, reserves, settles and releases until it is killed.

import { once } from "node:events";
import process from "node:process";
import { keccak256, toHex } from "viem";
import { openPreflightBuffer } from "../../../../../sdk/preflight/buffer/buffer.ts";

const [task, file = "", number = ""] = process.argv.slice(2);
const buffer = openPreflightBuffer({ file, golemId: "golem" });
const asset = "0x52908400098527886E0F7030069857D2E4169EE7";
const now = BigInt(Math.floor(Date.now() / 1_000));

async function say(...words: readonly (string | bigint)[]): Promise<void> {
  if (!process.stdout.write(`${words.join(" ")}\n`)) await once(process.stdout, "drain");
}

if (task === "reserve") {
  await say("ready");
  await once(process.stdin, "data");
  const capUsdc = BigInt(number);
  for (let piece = 1n; ; piece = (piece % 7n) + 1n) {
    const answer = buffer.reserve({ amountUsdc: piece, capUsdc, sessionLeftUsdc: 10n ** 13n, now });
    if ("kind" in answer && answer.remainingUsdc === 0n) break;
    if (!("kind" in answer)) await say("reserved", answer.id, answer.amountUsdc);
    // SQLite's own turns are not fair: whoever has just written writes again.
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  process.exit();
}

for (let index = 0; ; index += 1) {
  const transactionHash = keccak256(toHex(`${number} ${index}`));
  const amountUsdc = BigInt(index % 900) + 1n;
  const transaction = { transactionHash, asset, amountUsdc, timestamp: now } as const;
  if (index % 3 === 0) {
    buffer.record(transaction);
    await say("spent", transactionHash, amountUsdc);
    continue;
  }
  const reservation = buffer.reserve({ amountUsdc, capUsdc: 10n ** 13n, sessionLeftUsdc: 10n ** 13n, now });
  if ("kind" in reservation) throw new Error("there is room");
  await say("reserved", reservation.id, amountUsdc);
  if (index % 3 === 1) {
    buffer.settle(reservation.id, transaction);
    await say("settled", reservation.id, transactionHash, amountUsdc);
  } else if (index % 2 === 0) {
    buffer.release(reservation.id);
    await say("released", reservation.id);
  }
}
