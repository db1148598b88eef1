import { spawn } from "node:child_process";
import process from "node:process";

type RunOptions = {
  /** Variables added to this process's environment. */
  env?: Record<string, string>;
  /** Is given what the command prints to standard output, which reaches the terminal all the same. */
  onOutput?: (text: string) => void;
};

/** Runs a command found in PATH with this terminal and answers its exit code: 1 when it could not be started. */
export function run(
  command: string,
  args: readonly string[],
  { env = {}, onOutput }: RunOptions = {},
): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: ["ignore", onOutput === undefined ? "inherit" : "pipe", "inherit"],
      shell: process.platform === "win32",
    });
    child.stdout?.on("data", (chunk: Buffer) => {
      process.stdout.write(chunk);
      onOutput?.(chunk.toString("utf8"));
    });
    child.on("error", (error) => {
      console.error(`Could not start ${command}: ${error.message}`);
      resolve(1);
    });
    child.on("close", (code) => resolve(code ?? 1));
  });
}
