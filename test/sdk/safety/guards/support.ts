import { readFileSync } from "node:fs";
import {
  defaultHostPolicy,
  type GuardCode,
  type GuardVerdict,
  judgeCommand,
  type RealPaths,
} from "../../../../sdk/safety/index.ts";

export const HOST = defaultHostPolicy({ home: "/home/agent", workspace: "/home/agent/project", pids: [4242] });

/** A disk without links. */
export const NO_LINKS: RealPaths = { realPath: (path) => path };

export type Line = { author: "guard" | "independent"; command: string };

/** The lines of a list in test/fixtures/commands. */
export function linesOf(list: "everyday" | "hostile"): readonly Line[] {
  const { commands } = JSON.parse(readFileSync(`test/fixtures/commands/${list}.json`, "utf8")) as { commands: Line[] };

  return commands;
}

export function judge(command: string): GuardVerdict {
  return judgeCommand(command, { policy: HOST, files: NO_LINKS });
}

export function codeOf(verdict: GuardVerdict): GuardCode | "allowed" {
  return verdict.kind === "allowed" ? "allowed" : verdict.code;
}
