import { hasInvisible } from "../../text/invisible.ts";
import { protectedPath, type RealPaths, type Use } from "./paths.ts";
import { isKnown } from "./pattern.ts";
import type { HostPolicy } from "./policy.ts";
import { ALLOWED, type GuardVerdict, refused } from "./verdict.ts";

export type FileRequest = {
  /** As the agent gave it: absolute, in its home (`~/`), or from the workspace on. */
  path: string;
  policy: HostPolicy;
  files: RealPaths;
};

/** The longest path that a disk takes. */
const MAX_PATH = 4_096;

function judge({ path, policy, files }: FileRequest, use: Use): GuardVerdict {
  if (typeof path !== "string") return refused("NOT_TEXT", "The path is not a text.");
  if (path.length > MAX_PATH || hasInvisible(path) || !isKnown(path))
    return refused("COMMAND_UNREADABLE", "It is no path.");
  const found = protectedPath(path, { policy, files, folder: policy.workspace, use });
  if (found === undefined) return ALLOWED;

  return refused(found.access === "secret" ? "SECRET_FILE" : "PROTECTED_FILE", `It touches ${found.path}.`);
}

/** Judges what a tool is about to write, create, rename or delete, by the path that it is given and by the one that it leads to. */
export function judgeFileWrite(request: FileRequest): GuardVerdict {
  return judge(request, "write");
}

/** Judges what a tool is about to show the agent: keys are read by the runtime alone. */
export function judgeFileRead(request: FileRequest): GuardVerdict {
  return judge(request, "read");
}
