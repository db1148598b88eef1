// Runs in a process of its own, shut in: reads one job from standard input, and writes one answer to standard output.

import process from "node:process";
import { playMarket } from "./interpreter.ts";
import { type Answer, endedBy, type Job } from "./job.ts";
import { loadQuickJs, Program } from "./program.ts";

async function play({ strategy, markets, limits }: Job): Promise<Answer> {
  const { novel = {}, rules } = strategy;
  const names = Object.entries(novel);
  const quickJs = names.length === 0 ? undefined : await loadQuickJs();
  const deadline = Date.now() + limits.wallMs;
  try {
    const played = markets.map((market) => {
      // Made anew for each market: what a function remembers of one, it does not know in the next.
      const programs = new Map(
        names.flatMap(([name, code]) =>
          quickJs === undefined ? [] : [[name, new Program(quickJs, code, { ...limits, deadline })] as const],
        ),
      );
      const result = playMarket({ rules }, market, {
        novel: (name, prices) => programs.get(name)?.run(prices),
        gasUsd: limits.gasUsd,
      });
      for (const program of programs.values()) program.dispose();

      return result;
    });

    return { kind: "done", markets: played };
  } catch (error) {
    const answer = endedBy(error);
    if (answer !== undefined) return answer;
    throw error;
  }
}

let input = "";
for await (const chunk of process.stdin.setEncoding("utf8")) input += chunk;
const answer = await play(JSON.parse(input));
process.stdout.write(JSON.stringify(answer), () => process.exit(0));
