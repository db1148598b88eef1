// Records what the command line prints, on a local chain, into docs/sessions.md: `npm run sessions`. With `--check` it compares instead.
// Run it again when a command prints something else, and take the README's excerpts from there.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { network } from "hardhat";
import {
  type Address,
  createPublicClient,
  createTestClient,
  createWalletClient,
  getAddress,
  type Hex,
  http,
  parseEther,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { hardhat } from "viem/chains";
import { deployMarket } from "../deploy/market.ts";
import { giveWeth, mintUsdc, swapTrade, wethWorth } from "../deploy/market-calls.ts";
import { accountCall, sendCall, usdc } from "../sdk/index.ts";
import { recordKnowledge } from "./sessions/knowledge.ts";

/** Hardhat's first two test accounts, which everybody knows. */
const OWNER_KEY: Hex = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const GOLEM_KEY: Hex = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";
const GUARDIAN: Address = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";

const MAIN = fileURLToPath(new URL("../sdk/cli/main.ts", import.meta.url));
const DOCUMENT = fileURLToPath(new URL("../docs/sessions.md", import.meta.url));

const server = await network.createServer(
  { network: "default", override: { initialDate: "2027-01-15T08:00:00Z" } },
  "127.0.0.1",
);
const { port } = await server.listen();
const rpc = `http://127.0.0.1:${port}`;
const options = { chain: hardhat, transport: http(rpc), pollingInterval: 20 } as const;
const reader = createPublicClient(options);
const test = createTestClient({ ...options, mode: "hardhat" });
const owner = createWalletClient({ ...options, account: privateKeyToAccount(OWNER_KEY) });
const golem = createWalletClient({ ...options, account: privateKeyToAccount(GOLEM_KEY) });
const folder = mkdtempSync(join(tmpdir(), "policycage-sessions-"));
const env: Record<string, string> = { POLICYCAGE_RPC: rpc, POLICYCAGE_KEY: OWNER_KEY };
const sections: string[] = [];

/** Times of day and hashes differ from run to run: a second more, and all of them do. */
function timeless(text: string): string[] {
  return text
    .replaceAll(/\b\d\d:\d\d:\d\d\b/g, "--:--:--")
    .replaceAll(/\b0x[0-9a-f]{64}\b/g, "0x--")
    .replaceAll(/\b(\d+ h )\d+ min\b/g, "$1-- min")
    .replaceAll(/\b\d+ min \d+ s\b/g, "-- min")
    .split("\n");
}

/** Fails when a session is not printed as it was recorded. */
function compare(played: string, recorded: string): void {
  const [now, then] = [timeless(played), timeless(recorded)];
  const differing = now.flatMap((line, index) => (line === then[index] ? [] : [index]));
  for (const index of differing.slice(0, 10)) console.log(`- ${then[index] ?? ""}\n+ ${now[index] ?? ""}`);
  if (differing.length === 0 && now.length === then.length) return;
  console.log("A command prints something else than docs/sessions.md shows: run `npm run sessions`.");
  process.exitCode = 1;
}

/** Runs a command as it is shown, in a process of its own: the chain lives in this one. */
function run(command: string): Promise<{ output: string; code: number | null }> {
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn("bash", ["-c", command.replace(/^policycage/, '"$NODE" "$MAIN"')], {
    cwd: folder,
    env: { PATH, HOME, NODE: process.execPath, MAIN, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });

  return new Promise((resolve, reject) => {
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ output, code }));
  });
}

/** A trade that spends `amountIn` of USDC and gets WETH worth `worth` of USDC. */
function buy(account: Address, amountIn: bigint, worth = amountIn) {
  return swapTrade({ account, amountIn, amountOut: wethWorth(worth) });
}

/** Keeps what commands print. */
async function record(title: string, ...commands: string[]): Promise<void> {
  const lines: string[] = [];
  for (const command of commands) {
    const { output, code } = await run(command);
    // 1 is an answer: no.
    if (code !== 0 && code !== 1) throw new Error(`${command} ended with ${code}.`);
    lines.push(
      `$ ${command}`,
      ...(output === "" ? [] : [output.trimEnd()]),
      ...(code === 1 ? ["[exit code 1]"] : []),
      "",
    );
  }
  sections.push(`## ${title}\n\n\`\`\`console\n${lines.join("\n").trimEnd()}\n\`\`\`\n`);
}

try {
  await deployMarket({ reader, wallet: owner, account: owner.account });
  await record(
    "A policy file",
    `policycage init policy.json --network local --main-wallet ${owner.account.address}`,
    "policycage check policy.json",
  );
  await record("Deploying", `policycage deploy policy.json --yes --guardian ${GUARDIAN}`);
  const { output } = await run(`policycage deploy policy.json --yes --guardian ${GUARDIAN} --json`);
  const { cage, account } = JSON.parse(output);
  Object.assign(env, { POLICYCAGE_CAGE: cage, POLICYCAGE_ACCOUNT: account, POLICYCAGE_OWNER: owner.account.address });
  for (const call of [mintUsdc(account, usdc("90000")), ...giveWeth(account, parseEther("5"))]) {
    await sendCall({ reader, wallet: owner }, call);
  }
  await record(
    "The mark, and a session",
    "policycage hwm sign --out mark.json",
    "policycage hwm submit mark.json",
    `policycage session open --key ${golem.account.address} --cap 20000 --for 7d`,
  );

  for (const amount of ["2500", "1200", "4000"]) {
    const call = accountCall(account, "execute", [[buy(account, usdc(amount))]]);
    await reader.waitForTransactionReceipt({ hash: await golem.sendTransaction(call) });
    await test.increaseTime({ seconds: 5_000 });
    await test.mine({ blocks: 1 });
  }
  await record(
    "Planning a change",
    `sed -i 's/"maxTradeLossBps": 100/"maxTradeLossBps": 50/; s/"maxPositions": 10/"maxPositions": 4/' policy.json`,
    "policycage plan policy.json",
    "policycage apply policy.json",
  );
  await record("What an owner keeps open", "policycage status");

  await test.setAutomine(false);
  const hash = await golem.sendTransaction({
    ...accountCall(account, "execute", [[buy(account, usdc("4000"), usdc("3600"))]]),
    gas: 2_000_000n,
  });
  await test.mine({ blocks: 1 });
  await test.setAutomine(true);
  await record("Why a transaction was refused", `policycage explain ${hash}`);
  await record("The check at boot", "policycage verify policy.json");

  const knowledge = await recordKnowledge(reader, owner, folder);
  await knowledge.pack(GOLEM_KEY);
  await knowledge.remember();
  await record(
    "Knowledge from outside",
    `policycage ingest knowledge.tar --registry ${getAddress(knowledge.registry)}`,
    "policycage ingest --status",
  );

  const head =
    "# Sessions\n\nWhat the command line prints, recorded by `scripts/sessions.ts` on a local chain. Times, addresses and hashes are those of\nthat chain; `POLICYCAGE_RPC`, `POLICYCAGE_KEY` and, once it is deployed, `POLICYCAGE_CAGE` are set. Before the last session the\nscript has put into the store what a golem's mental models begin with: an empty one holds whatever it is given.\n";
  const played = [head, ...sections].join("\n");
  if (process.argv.includes("--check")) compare(played, readFileSync(DOCUMENT, "utf8"));
  else writeFileSync(DOCUMENT, played);
  console.log(`${sections.length} sessions, docs/sessions.md`);
} finally {
  rmSync(folder, { recursive: true });
  await server.close();
}
