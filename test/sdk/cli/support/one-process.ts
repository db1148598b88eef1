// Runs commands one after the other in one process of the command line: of hundreds that do little, the start would take nearly all of
// the time. It is another process than the tests', and each command runs as `policycage` runs it, in its own folder and environment.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { plainSettings, type Run, withoutProgress } from "../../support/cli.ts";

type Task = { args: readonly string[]; cwd: string; env: Record<string, string> };

const FILE = fileURLToPath(import.meta.url);

let child: ChildProcess | undefined;
let last: Promise<unknown> = Promise.resolve();

/** As `runCli`, for what reads no standard input and hears no signal. What a command leaves open is in the way of the next one. */
export function runInOne(
  args: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): Promise<Run> {
  const run = last.then(() => ask({ args, cwd, env: { ...plainSettings(), ...env } }));
  last = run.catch(() => {});

  return run;
}

async function ask(task: Task): Promise<Run> {
  child ??= start();
  const asked = child;
  const ended = new AbortController();
  const fail = () => ended.abort(new Error(`policycage ${task.args.join(" ")} ended the process`));
  asked.once("exit", fail);
  asked.channel?.ref();
  try {
    const answered = once(asked, "message", { signal: ended.signal });
    asked.send(task);
    const [{ code, stdout, stderr }] = (await answered) as [Run];

    return { code, stdout, stderr: withoutProgress(stderr) };
  } finally {
    asked.off("exit", fail);
    asked.channel?.unref();
  }
}

/** It ends with this process, and keeps it from nothing. */
function start(): ChildProcess {
  // No terminal, wherever the tests have one.
  const started = fork(FILE, { env: plainSettings(), stdio: ["ignore", "ignore", "ignore", "ipc"] });
  started.unref();
  started.channel?.unref();
  started.once("exit", () => {
    child = undefined;
  });

  return started;
}

async function serve(): Promise<void> {
  const { main } = await import("../../../../sdk/cli/main.ts");
  process.once("disconnect", () => process.exit());
  process.on("message", async ({ args, cwd, env }: Task) => {
    process.chdir(cwd);
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, env);
    process.exitCode = undefined;
    const written = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      process[name].write = (text: string | Uint8Array) => {
        written[name] += typeof text === "string" ? text : Buffer.from(text).toString();

        return true;
      };
    }
    await main(args);
    for (const signal of ["SIGINT", "SIGTERM"]) process.removeAllListeners(signal);
    process.send?.({ code: Number(process.exitCode ?? 0), ...written });
  });
}

// A test runner loads every file of its folder.
if (process.argv[1] === FILE) await serve();
