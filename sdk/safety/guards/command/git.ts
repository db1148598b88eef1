// git: what runs commands of a repository's or a command line's choice, and what rewrites the record of changes.

import { isKnown } from "../pattern.ts";
import { refuse } from "../verdict.ts";
import { type Input, type Run, touch } from "./run.ts";
import { judgeInner } from "./wrappers.ts";

const WITH_VALUE = [
  "-C",
  "-c",
  "--git-dir",
  "--work-tree",
  "--namespace",
  "--exec-path",
  "--config-env",
  "--super-prefix",
];
/** Settings that name no program and no place. */
const PLAIN_SETTING =
  /^(?:user\.(?:name|email|signingkey)|author\.\w+|committer\.\w+|init\.defaultbranch|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote|followtags)|fetch\.prune|core\.(?:autocrlf|eol|filemode|ignorecase|quotepath|longpaths|safecrlf|whitespace|compression|bare)|color\.[\w.]+|advice\.[\w.]+|merge\.(?:ff|conflictstyle)|rebase\.(?:autostash|autosquash|updaterefs)|rerere\.enabled|branch\.[\w./-]+|diff\.(?:renames|algorithm|colormoved)|log\.\w+|status\.\w+|help\.autocorrect|commit\.(?:gpgsign|verbose)|tag\.(?:gpgsign|sort)|column\.ui|http\.postbuffer|safe\.directory|protocol\.version|feature\.\w+|gc\.auto|submodule\.recurse|credential\.usehttppath|index\.\w+|pack\.\w+)$/i;
const TEXT_OPTIONS =
  /^(?:-m|--message|--author|--date|--format|--pretty|--grep|-S|-G|--since|--until|--before|--after|-e|--committer|-t|--trailer|-L)$/;
const READERS = new Set(["log", "show", "diff", "blame", "grep", "cat-file", "annotate", "whatchanged", "shortlog"]);
const NAMES = new Set([
  "status",
  "ls-files",
  "ls-tree",
  "branch",
  "remote",
  "describe",
  "rev-parse",
  "rev-list",
  "name-rev",
  "for-each-ref",
  "check-ignore",
  "fetch",
  "version",
  "help",
  "var",
  "count-objects",
  "ls-remote",
  "merge-base",
  "whatchanged",
  "tag",
  "stash",
  "push",
  "pull",
  "merge",
  "rebase",
  "cherry-pick",
  "revert",
  "switch",
  "clone",
  "init",
  "bisect",
  "worktree",
  "submodule",
  "notes",
  "reflog",
  "gc",
  "fsck",
  "prune",
  "sparse-checkout",
  "maintenance",
]);

function requirePlainSetting(run: Run, key: string, value: string | undefined, input: Input) {
  if (!isKnown(key)) refuse("CODE_UNSEEN", "A setting of git is named when it runs.");
  if (/^alias\./i.test(key)) {
    if (value === undefined) return;
    if (!isKnown(value) || value.startsWith("!")) refuse("CODE_UNSEEN", "An alias of git runs a command.");

    return run.judgeWords(["git", ...value.split(/\s+/)], input);
  }
  if (!PLAIN_SETTING.test(key)) refuse("ENVIRONMENT_PROTECTED", `The setting ${key} of git may decide what code runs.`);
}

function judgeConfig(run: Run, words: readonly string[], input: Input) {
  const isReading = words.some((word) =>
    /^(?:--get|--get-all|--get-regexp|--list|-l|--show-origin|get|list|--get-urlmatch)$/.test(word),
  );
  if (words.some((word) => /^(?:-e|--edit|edit)$/.test(word)))
    refuse("ENVIRONMENT_PROTECTED", "It edits all settings of git.");
  for (const [index, word] of words.entries())
    if (/^(?:-f|--file)$/.test(word) || /^--file=/.test(word))
      touch(run, /^--file=/.test(word) ? word : (words[index + 1] ?? ""), "write");
  if (isReading) return;
  const operands = words.filter((word) => !word.startsWith("-") && !/^(?:set|unset)$/.test(word));
  const [key, value] = operands;
  if (key === undefined || (operands.length < 2 && !words.some((word) => /unset|remove/.test(word)))) return;
  requirePlainSetting(run, key, value, input);
}

/** Judges a command of git's. */
export function judgeGit(run: Run, words: readonly string[], input: Input) {
  const places: string[] = [];
  let at = 1;
  while (at < words.length && (words[at] ?? "").startsWith("-")) {
    const word = words[at] ?? "";
    if (!isKnown(word)) refuse("COMMAND_UNKNOWN", "An option of git is put together when it runs.");
    if (/^(?:--exec-path=|--config-env)/.test(word) || (word === "--exec-path" && words.length > at + 1))
      refuse("CODE_UNSEEN", "It chooses the programs that git runs.");
    if (word === "-c") {
      const [key = "", ...value] = (words[at + 1] ?? "").split("=");
      requirePlainSetting(run, key, value.join("="), input);
    }
    if (word === "-C" || /^--(?:git-dir|work-tree)/.test(word))
      places.push(word.includes("=") ? word : (words[at + 1] ?? ""));
    at += WITH_VALUE.includes(word) ? 2 : 1;
  }
  const verb = words[at] ?? "help";
  const rest = words.slice(at + 1);
  if (!isKnown(verb)) refuse("COMMAND_UNKNOWN", "The command of git is named when it runs.");
  const has = (expression: RegExp) => rest.some((word) => expression.test(word));

  for (const place of places)
    touch(run, place, READERS.has(verb) || verb === "status" || verb === "ls-files" ? "read" : "any");

  if (verb === "config") return judgeConfig(run, rest, input);
  if (
    /^(?:filter-branch|filter-repo|replace|update-ref|fast-import|daemon|shell|http-backend|credential.*|send-email|instaweb|difftool|mergetool|upload-pack|receive-pack|symbolic-ref|hash-object|update-index|gui|citool|remote-.*|cvsserver|archimport|svn|p4)$/.test(
      verb,
    )
  ) {
    refuse(
      /filter|update-ref|replace/.test(verb) ? "AUDIT_TRAIL" : "CODE_UNSEEN",
      `git ${verb} rewrites what was recorded, or runs other programs.`,
    );
  }
  if (
    has(
      /^(?:--upload-pack|--receive-pack|--exec|--template|-O|--open-files-in-pager|--ext-diff|--textconv|--extcmd|--run)(?:=|$)/,
    ) ||
    (["fetch", "pull", "clone", "push", "ls-remote", "submodule", "remote", "archive"].includes(verb) &&
      has(/^(?:-u[^-]*\/|ext::|fd::)|^ext::/))
  ) {
    if (verb !== "rebase") refuse("CODE_UNSEEN", "An option of git runs a program.");
  }
  if (verb === "clone" && has(/^(?:-u|-c|--config)(?:=|$)/))
    refuse("CODE_UNSEEN", "An option of git runs a program, or sets what does.");
  if (verb === "rebase") {
    for (const [index, word] of rest.entries()) {
      if (/^(?:-x|--exec)$/.test(word)) judgeInner(run, rest[index + 1] ?? "", input);
      else if (/^(?:-x.|--exec=)/.test(word)) judgeInner(run, word.replace(/^(?:-x|--exec=)/, ""), input);
    }
  }
  if (verb === "bisect" && rest[0] === "run") return run.judgeWords(rest.slice(1), input);
  if (verb === "submodule" && rest.includes("foreach"))
    return judgeInner(
      run,
      rest
        .slice(rest.indexOf("foreach") + 1)
        .filter((word) => !/^--(?:recursive|quiet)$/.test(word))
        .join(" "),
      input,
    );
  if (
    verb === "push" &&
    (has(/^(?:--force|--mirror|--prune)$/) ||
      has(/^-[a-zA-Z]*f/) ||
      has(/^\+/) ||
      (has(/^(?:-d|--delete)$/) && has(/^(?:main|master)$/)) ||
      has(/^:(?:main|master)?$/))
  ) {
    refuse("AUDIT_TRAIL", "It overwrites what was recorded elsewhere.");
  }
  if (verb === "reflog" && has(/^(?:expire|delete)$/)) refuse("AUDIT_TRAIL", "It deletes the record of former states.");
  if ((verb === "gc" && has(/^--prune=(?:now|all)/)) || verb === "prune")
    refuse("AUDIT_TRAIL", "It deletes former states.");
  if (verb === "branch" && has(/^(?:-D|-[a-zA-Z]*f|--force|-M)$/) && has(/^(?:main|master)$/))
    refuse("AUDIT_TRAIL", "It deletes or moves the branch that records changes.");
  // What is ignored holds the agent's state.
  if (verb === "clean" && has(/^-[a-zA-Z]*[xX]/) && !has(/^-[a-zA-Z]*n|^--dry-run$/)) {
    const folders = rest.filter((word) => !word.startsWith("-"));
    // The workspace's own folder is none below it.
    if (folders.length === 0 || folders.some((word) => !/^[\w-][\w./-]*$/.test(word) || word.includes(".."))) {
      refuse("PROTECTED_FILE", "It deletes files that are ignored, keys and state among them.");
    }
  }
  if (verb === "commit" && has(/^(?:-n|--no-verify|-[a-zA-Z]*n[a-zA-Z]*)$/))
    refuse("AUDIT_TRAIL", "It leaves out the checks of a commit.");
  if (verb === "push" && has(/^--no-verify$/)) refuse("AUDIT_TRAIL", "It leaves out the checks of a push.");
  if (verb === "init" || verb === "clone" || verb === "worktree") for (const word of rest) touch(run, word, "write");

  const use = NAMES.has(verb)
    ? "name"
    : READERS.has(verb) || verb === "archive"
      ? "read"
      : verb === "add" || verb === "commit"
        ? "read"
        : "any";
  for (let index = 0; index < rest.length; index += 1) {
    const word = rest[index] ?? "";
    if (TEXT_OPTIONS.test(word)) index += 1;
    else if (/^(?:--output|-o)$/.test(word) || /^--output=/.test(word)) {
      touch(run, word.includes("=") ? word : (rest[index + 1] ?? ""), "write");
    } else if (/^(?:--no-index|-F|--file|--patch-with-raw)$/.test(word)) touch(run, rest[index + 1] ?? "", "read");
    else if (/^(?:--(?:message|author|date|format|pretty|grep|since|until|after|before)=|-m)/.test(word)) continue;
    // A revision before the colon, a path behind it.
    else if (use !== "name" && word !== "." && word !== "*" && isKnown(word)) touch(run, word, use);
    else if (use === "any" && !isKnown(word)) touch(run, word, use);
  }
}
