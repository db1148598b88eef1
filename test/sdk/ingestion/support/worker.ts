// Works on a store until it is killed, and says on standard output what has been acknowledged: "<entry id> <stage>" a line.

import { writeSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { openKnowledgeStore } from "../../../../sdk/ingestion/store/open.ts";
import { draft, signed, standingClock } from "./agents.ts";
import { hashingEmbedder } from "./embedder.ts";
import { work } from "./workload.ts";

async function workUntilKilled([directory = "", round = "0"]: readonly string[]): Promise<never> {
  const store = await openKnowledgeStore({ directory, embedder: hashingEmbedder(), clock: standingClock() });

  for (let turn = 0; ; turn += 1) {
    const submissions = await Promise.all(
      ["a", "b", "c", "d", "e"].map((goal, index) => {
        // Every round has nonces of its own, or all would be replays.
        const nonce = BigInt(round) * 1_000_000n + BigInt(turn * 10 + index);
        const agentId = BigInt(1 + (turn % 50));

        return signed(draft({ content: `${goal} fee ${round} ${turn}`, entryType: "heuristic", agentId, nonce }));
      }),
    );
    await work(store, submissions, (id, stage) => writeSync(1, `${id} ${stage}\n`));
  }
}

// A test runner loads every file of its folder.
if (process.argv[1] === fileURLToPath(import.meta.url)) await workUntilKilled(process.argv.slice(2));
