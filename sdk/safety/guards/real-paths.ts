import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { RealPaths } from "./paths.ts";

/** Folders above a path that are tried; no path of a disk has more. */
const MAX_FOLDERS = 256;

/** Where links of this machine's disk lead. */
export const diskPaths: RealPaths = {
  realPath(path) {
    let folder = resolve(path);
    const rest: string[] = [];
    for (let tries = 0; tries < MAX_FOLDERS; tries += 1) {
      try {
        return join(realpathSync.native(folder), ...rest);
      } catch {
        // Not there, or not to be entered: what is above it may be.
        if (folder === dirname(folder)) break;
        rest.unshift(basename(folder));
        folder = dirname(folder);
      }
    }

    return resolve(path);
  },
};
