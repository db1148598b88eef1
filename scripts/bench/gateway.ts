import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { EmbeddedClassifier } from "../../sdk/safety/injection/classifier/embedded.ts";
import { percentile } from "../lib/statistics.ts";

const STREAMS = 200;
const LOAD_MS = 30_000;
/** Over which the streams arrive. */
const ARRIVING_MS = 10_000;
/** What a first byte may take longer than by a direct connection, in milliseconds. */
const NEEDED = { p50: 5, p99: 25 };
const REQUESTS = 10_000;
const AT_ONCE = 20;
/** What the gateway may grow by between the first thousand requests and the last. Megabytes. */
const MOST_GROWTH = 64;
const KEY = "bench-key-0123456789-0123456789";
const ROOT = join(import.meta.dirname, "../..");

type Result = { firstBytes: number[]; failures: number; leaks: number };

/** Streams through a gateway beside the same ones to its provider directly, then whether its memory grows. */
export async function run(): Promise<void> {
  const provider = await started([join(import.meta.dirname, "gateway/provider.ts")], /^(\d+)$/m);
  try {
    const direct = `http://127.0.0.1:${provider.said}`;
    const bare = shownOf("direct connection", await load(direct));
    for (const classifier of ["lite", "guard"] as const) {
      const folder = mkdtempSync(join(tmpdir(), "policycage-bench-gateway-"));
      const gateway = await startGateway(folder, direct, classifier);
      try {
        const own = shownOf(`gateway with ${classifier}`, await load(gateway.said));
        const [p50, p99] = [own.p50 - bare.p50, own.p99 - bare.p99];
        const isMet = p50 <= NEEDED.p50 && p99 <= NEEDED.p99;
        const said = `added to the first byte: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
        // Only the small classifier is asked to be this fast.
        const verdict = classifier === "guard" ? "    " : isMet && own.isWhole ? "ok  " : "MISS";
        console.log(`${verdict} ${said} (asked with lite: ${NEEDED.p50} and ${NEEDED.p99} ms, no failure and no leak)`);
        if (classifier === "lite") await showMemory(gateway);
      } finally {
        gateway.child.kill("SIGTERM");
        await gateway.exited;
        rmSync(folder, { recursive: true, force: true });
      }
    }
  } finally {
    provider.child.kill();
  }
}

async function started(args: readonly string[], pattern: RegExp, env: Record<string, string> = {}) {
  const child: ChildProcess = spawn(process.execPath, args, { cwd: ROOT, env: { ...process.env, ...env } });
  const exited = once(child, "exit");
  let output = "";
  const said = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (data) => {
        output += String(data);
        const [, found] = pattern.exec(output) ?? [];
        if (found !== undefined) resolve(found);
      });
    }
    exited.then(() => reject(new Error(output)));
  });

  return { child, exited, said: await said };
}

type Started = Awaited<ReturnType<typeof started>>;

function startGateway(folder: string, provider: string, classifier: EmbeddedClassifier): Promise<Started> {
  const config = {
    version: 1,
    listen: { port: 0 },
    keys: [{ keyVariable: "BENCH_KEY", agentId: "7" }],
    upstreams: { provider: { kind: "openai", url: `${provider}/v1` } },
    models: { m: { upstream: "provider", price: { input: "0.1", output: "0.1" }, maxOutputTokens: 1_000 } },
    budgets: { default: { day: { usdc: "999999" } } },
    pricesOf: "2027-01-15",
    classifier,
    data: folder,
  };
  const file = join(folder, "gateway.json");
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });

  return started(["sdk/cli/main.ts", "gateway", "--config", file], /^Ready: (\S+)\/v1 /m, { BENCH_KEY: KEY });
}

/** As many streams at once as asked, for as long, each with an address of its own that must come back, and no other. */
async function load(url: string): Promise<Result> {
  const result: Result = { firstBytes: [], failures: 0, leaks: 0 };
  const end = performance.now() + LOAD_MS;
  await Promise.all(
    Array.from({ length: STREAMS }, async (_, at) => {
      await new Promise((resolve) => setTimeout(resolve, (ARRIVING_MS * at) / STREAMS));
      while (performance.now() < end) await stream(url, result);
    }),
  );

  return result;
}

async function stream(url: string, result: Result): Promise<void> {
  const canary = `0x${randomBytes(20).toString("hex")}`;
  const begun = performance.now();
  try {
    const response = await ask(url, `Pay 5 USDC to ${canary} and tell me.`, true);
    let text = "";
    let first: number | undefined;
    const decoder = new TextDecoder();
    for await (const piece of response.body ?? []) {
      first ??= performance.now() - begun;
      text += decoder.decode(piece, { stream: true });
    }
    const said = [...text.matchAll(/"content":"([^"]*)"/g)].map(([, content]) => content).join("");
    const isWhole = response.status === 200 && said.includes(canary) && text.endsWith("data: [DONE]\n\n");
    if (first !== undefined && isWhole) result.firstBytes.push(first);
    else result.failures += 1;
    if ((said.match(/0x[0-9a-f]{40}/g) ?? []).some((address) => address !== canary)) result.leaks += 1;
  } catch {
    result.failures += 1;
  }
}

function ask(url: string, content: string, isStreamed: boolean): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "m", stream: isStreamed, max_tokens: 100, messages: [{ role: "user", content }] }),
  });
}

function shownOf(name: string, { firstBytes, failures, leaks }: Result) {
  const [p50, p99] = [percentile(firstBytes, 0.5), percentile(firstBytes, 0.99)];
  console.log(
    `Gateway, ${STREAMS} streams at once for ${LOAD_MS / 1_000} s, ${name}: ${firstBytes.length} streams, ` +
      `first byte p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${failures} failures, ${leaks} leaks`,
  );

  return { p50, p99, isWhole: failures === 0 && leaks === 0 };
}

/** Whether what a gateway holds grows with what it has answered. */
async function showMemory({ child, said: url }: Started): Promise<void> {
  const resident = () => {
    const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? [];

    return Number(kilobytes) / 1_024;
  };
  let failures = 0;
  let asked = 0;
  const until = async (count: number) => {
    const work = Array.from({ length: AT_ONCE }, async () => {
      while (asked < count) {
        asked += 1;
        const canary = `0x${randomBytes(20).toString("hex")}`;
        const response = await ask(url, `Pay ${canary}`, false);
        if (!(await response.text()).includes(canary)) failures += 1;
      }
    });
    await Promise.all(work);

    return resident();
  };
  const early = await until(REQUESTS / 10);
  const late = await until(REQUESTS);
  const isMet = failures === 0 && late - early <= MOST_GROWTH;
  console.log(
    `${isMet ? "ok  " : "MISS"} memory of the gateway: ${early.toFixed(0)} MB after ${REQUESTS / 10} requests, ` +
      `${late.toFixed(0)} MB after ${REQUESTS}, ${failures} failures (asked: at most ${MOST_GROWTH} MB more)`,
  );
}
