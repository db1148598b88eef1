// Whether a path can be one that the policy protects.

import { canBe, isKnown, isOpaque, knownLetters, MANY, ONE, SPLIT, UNKNOWN } from "./pattern.ts";
import type { Access, HostPolicy } from "./policy.ts";

/** What is done to a path: its name is looked at, its content is read, it is changed, it is
 * taken away with all that is in it, or a program of unknown habits gets it. */
export type Use = "name" | "read" | "write" | "remove" | "any";

/** Where links lead: the only thing that guards ask of the disk. */
export type RealPaths = {
  /** The absolute path without links of what `path` leads to; of what does not exist, the real folder with the rest of the path. */
  realPath(path: string): string;
};

type Entry = {
  path: string;
  access: Access;
  parts: readonly string[];
  isAnchored: boolean;
  isTree: boolean;
  /** What stands behind the home, of a path in it. */
  inHome: readonly string[] | undefined;
};

const REFUSES: Readonly<Record<Use, readonly Access[]>> = {
  name: [],
  read: ["secret"],
  any: ["secret", "fixed"],
  write: ["secret", "fixed", "system"],
  remove: ["secret", "fixed", "system"],
};

const read = new WeakMap<HostPolicy, readonly Entry[]>();

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}

function entriesOf(policy: HostPolicy): readonly Entry[] {
  const known = read.get(policy);
  if (known !== undefined) return known;

  const entries = policy.paths.map(({ path, access }) => {
    const lower = path.toLowerCase();
    const inHome = lower.startsWith("~/") ? partsOf(lower.slice(2)) : undefined;
    const whole = inHome === undefined ? lower : `${policy.home.toLowerCase()}/${lower.slice(2)}`;

    return {
      path,
      access,
      parts: partsOf(whole),
      isAnchored: whole.startsWith("/"),
      isTree: path.endsWith("/"),
      inHome,
    };
  });
  read.set(policy, entries);

  return entries;
}

type Place = {
  parts: readonly string[];
  /** Known from the root on. */
  isAbsolute: boolean;
};

/** The path without `.`, `..` and doubled slashes, from the root where the folder is known. */
function placeOf(path: string, { home }: HostPolicy, folder: string | undefined): Place {
  let text = path.toLowerCase();
  if (text === "~" || text.startsWith("~/")) text = home.toLowerCase() + text.slice(1);
  const startsOpaque = text.startsWith(UNKNOWN) || text.startsWith(SPLIT) || text.startsWith("~");
  const isAbsolute = text.startsWith("/") || (folder !== undefined && !startsOpaque);
  const whole = text.startsWith("/") || !isAbsolute ? text : `${folder?.toLowerCase()}/${text}`;
  const parts: string[] = [];
  for (const part of partsOf(whole)) {
    if (part !== "..") parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (!isAbsolute) parts.push(part);
  }

  return { parts, isAbsolute };
}

/** A wildcard that names nothing: `*`, `*.json`. */
function isBroad(part: string): boolean {
  const isHidden = part.startsWith(`.${UNKNOWN}.`) && !isOpaque(part.slice(2));
  const isOpen = (part.startsWith(MANY) || part.startsWith(ONE)) && !isOpaque(part);

  return isHidden || (isOpen && /^(?:\..*)?$/.test(knownLetters(part)));
}

/** Whether a and b, both from the root, are the same or a is above b. */
function isAbove(a: readonly string[], b: readonly string[]): boolean {
  return a.length <= b.length && a.every((part, index) => part === b[index]);
}

/** Whether a wildcard that names nothing stands in a folder of the workspace's or of the host's where nothing is protected. */
function isElsewhere({ parts, isAbsolute }: Place, policy: HostPolicy): boolean {
  const first = parts.findIndex((part) => !isKnown(part));
  const above = parts.slice(0, first === -1 ? undefined : first);
  if (above.length === 0 || above[0] === "..") return false;
  const isProtected = entriesOf(policy).some(
    (entry) => entry.isTree && entry.access !== "system" && matches({ parts: above, isAbsolute }, entry, false),
  );
  if (isProtected) return false;
  if (!isAbsolute) return true;

  return [policy.home, policy.workspace].every((folder) => !isAbove(above, partsOf(folder.toLowerCase())));
}

function matchesAt(parts: readonly string[], wanted: readonly string[], at: number, isOutside: boolean): boolean {
  return wanted.every((name, index) => {
    const part = parts[at + index];
    if (part === undefined) return false;
    const isLast = at + index === parts.length - 1;
    if (!isLast && (part === UNKNOWN || part === SPLIT)) return false;
    if (!isBroad(part)) return canBe(part, name);
    if (isOutside && wanted.length === 1) return false;

    // Nobody who writes an ending means what has any ending.
    return canBe(part, part === MANY ? name : name.replace(/(?<=.)\*$/, ""));
  });
}

function matches(place: Place, entry: Entry, isOutside: boolean): boolean {
  const { parts, isAbsolute } = place;
  const wanted = entry.isAnchored && !isAbsolute ? entry.inHome : entry.parts;
  if (wanted === undefined || wanted.length > parts.length) return false;
  if (entry.isAnchored && isAbsolute) {
    return (entry.isTree || parts.length === wanted.length) && matchesAt(parts, wanted, 0, isOutside);
  }
  if (!entry.isTree) return matchesAt(parts, wanted, parts.length - wanted.length, isOutside);
  for (let at = 0; at + wanted.length <= parts.length; at += 1)
    if (matchesAt(parts, wanted, at, isOutside)) return true;

  return false;
}

/** The parts of the real path of what is known of it. */
function realPlace(
  place: Place,
  original: string,
  files: RealPaths,
  policy: HostPolicy,
  folder: string | undefined,
): Place | undefined {
  if (!place.isAbsolute) return undefined;
  // As it is written: on most disks large and small letters differ.
  let path = original === "~" || original.startsWith("~/") ? policy.home + original.slice(1) : original;
  if (!path.startsWith("/")) path = `${folder}/${path}`;
  const parts = path.split("/");
  const first = parts.findIndex((part) => !isKnown(part));
  const known = first === -1 ? path : parts.slice(0, first).join("/");
  if (known === "") return undefined;
  const rest = first === -1 ? "" : `/${parts.slice(first).join("/")}`;

  return placeOf(files.realPath(known) + rest, policy, "/");
}

/** The path of the policy that `path` can be, for this use; or undefined. */
export function protectedPath(
  path: string,
  { policy, files, folder, use }: { policy: HostPolicy; files: RealPaths; folder: string | undefined; use: Use },
): { path: string; access: Access } | undefined {
  if (use === "name" || path === "") return undefined;
  const written = placeOf(path, policy, folder);
  const real = realPlace(written, path, files, policy, folder);
  const [home, workspace] = [policy.home, policy.workspace].map((each) => partsOf(each.toLowerCase())) as [
    string[],
    string[],
  ];
  for (const place of real === undefined ? [written] : [written, real]) {
    const last = place.parts.at(-1);
    // Everything that is protected lies below it.
    if (place.isAbsolute && isAbove(place.parts, home)) return { path: "~", access: "secret" };
    if (use === "remove" && place.isAbsolute && isAbove(place.parts, workspace))
      return { path: ".git/", access: "fixed" };
    if (last === UNKNOWN || last === SPLIT || last === "..") return { path: "any file", access: "secret" };

    const isOutside = isElsewhere(place, policy);
    const found = entriesOf(policy).filter((entry) => matches(place, entry, isOutside));
    if (found.some(({ access }) => access === "free") && isKnown(path)) continue;
    if (use === "read" && isKnown(path) && found.some(({ access }) => access === "public")) continue;
    const hit = found.find(({ access }) => REFUSES[use].includes(access));
    if (hit !== undefined) return hit;
  }

  return undefined;
}
