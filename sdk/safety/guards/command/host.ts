// Programs that stop processes, change the machine, the databases, the packages, or speak for the owner.

import { isKnown } from "../pattern.ts";
import { refuse } from "../verdict.ts";
import { baseOf, type Input, type Run, touch } from "./run.ts";
import { judgeInner, operandFrom } from "./wrappers.ts";

const HOST =
  /^(?:mkfs(?:\..*)?|mke2fs|mkswap|fdisk|sfdisk|cfdisk|parted|gdisk|sgdisk|wipefs|blkdiscard|hdparm|shutdown|reboot|halt|poweroff|init|telinit|kexec|insmod|modprobe|rmmod|mount|umount|swapoff|swapon|losetup|cryptsetup|chroot|nsenter|unshare|pivot_root|switch_root|systemd-run|at|batch|atq|atrm|visudo|vipw|useradd|adduser|userdel|deluser|usermod|groupadd|groupmod|passwd|chpasswd|chsh|setcap|iptables|ip6tables|nft|ufw|firewall-cmd|gdb|lldb|gcore|capsh|ld|ld-linux.*|ld\.so|setpriv|debugfs|dmsetup|lvremove|vgremove|pvremove|zpool|zfs|grub-install|efibootmgr|update-initramfs|apparmor_parser|setenforce|auditctl|rfkill|xkill|fuser|ed|ex|red|dmesg|sysctl)$/;
/** Read, and not more. */
const HOST_READING: Readonly<Record<string, RegExp>> = {
  mount: /^mount$/,
  fdisk: /^fdisk -l$/,
  sysctl: /^sysctl (?:-a|-n )?[\w. -]*$/,
  dmesg: /^dmesg(?: -[THwkx]+)*$/,
  fuser: /^fuser(?: -[vn]+)? [\w./:-]+$/,
  ufw: /^ufw status(?: verbose)?$/,
  iptables: /^iptables -L(?: -n| -v)*$/,
  atq: /^atq$/,
  ld: /^ld --version$/,
  hdparm: /^hdparm --version$/,
};

function isOwn(name: string, own: readonly string[]): boolean {
  return own.some((each) => each.toLowerCase() === name.toLowerCase());
}

/** Whether an expression over names, of letters only, can fit one of the runtime's own. */
function fitsOwn(expression: string, own: readonly string[]): boolean {
  if (!/^[\w./ @:-]+$/.test(expression)) return true;
  const lower = expression.toLowerCase().replaceAll(".", "");
  // A dot stands for any letter.
  if (lower.length < 3) return true;

  return own.some((name) => name.includes(lower) || lower.split(/[\s/]+/).some((part) => part === name));
}

function judgeKill(run: Run, words: readonly string[]) {
  const { policy } = run;
  let at = 1;
  if (words.length === 1 || /^-[lL]$|^--(?:list|table|help|version)$/.test(words[1] ?? "")) return;
  if (/^(?:-s|-n|--signal)$/.test(words[1] ?? "")) at = 3;
  else if (/^-[A-Za-z0-9]+$/.test(words[1] ?? "") && words.length > 2) {
    if (words[1] === "-0") return;
    at = 2;
  }
  if (words[at] === "--") at += 1;
  for (const word of words.slice(at)) {
    const service = /^@\/.*\/([\w.-]+)\.pid$/.exec(word)?.[1];
    if (service !== undefined && !policy.processes.some((own) => service.toLowerCase().split(/[-_.]/).includes(own)))
      continue;
    const isFree = /^[1-9]\d*$/.test(word) && Number(word) > 1 && !policy.pids.includes(Number(word));
    if (!isFree && !/^%[\w+-]*$/.test(word)) refuse("OWN_PROCESS", "It may stop a process of the runtime.");
  }
}

function judgeKillByName(run: Run, words: readonly string[]) {
  const { policy } = run;
  const name = baseOf(words[0] ?? "");
  const isWhole = name === "killall" || words.some((word) => /^-[a-z]*x/.test(word));
  const values = ["-s", "--signal", "-u", "-U", "-g", "-G", "-P", "-t", "-y", "-o", "-F", "--pidfile"];
  const names: string[] = [];
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (/^-[a-z]*[vF]$|^--(?:inverse|pidfile|nslist)/.test(word))
      refuse("OWN_PROCESS", "It stops whatever is not named.");
    if (values.includes(word)) at += 1;
    else if (!word.startsWith("-")) names.push(word);
  }
  if (names.length === 0) refuse("OWN_PROCESS", "It stops every process of a kind.");
  for (const each of names) {
    if (
      !isKnown(each) ||
      (isWhole ? isOwn(each, policy.processes) || !/^[\w.@-]+$/.test(each) : fitsOwn(each, policy.processes))
    ) {
      refuse("OWN_PROCESS", "It may stop a process of the runtime.");
    }
  }
}

/** Whatever manages services, containers and processes: verbs that stop, followed by names. */
const MANAGERS: Readonly<Record<string, RegExp>> = {
  systemctl:
    /^(?:stop|kill|disable|mask|restart|try-restart|reload-or-restart|isolate|set-environment|import-environment|edit|link|set-property|revert|poweroff|reboot|halt|suspend|hibernate|emergency|rescue|kexec|exit)$/,
  service: /^.+$/,
  supervisorctl: /^(?:stop|restart|shutdown|remove|reload|update)$/,
  pm2: /^(?:stop|delete|del|kill|restart|reload|flush)$/,
  forever: /^(?:stop|stopall|restart|restartall)$/,
  docker: /^(?:stop|kill|rm|pause|restart|container|update|volume|compose|network|swarm|system)$/,
  podman: /^(?:stop|kill|rm|pause|restart|container|update|volume|compose|network|swarm|system)$/,
  nerdctl: /^(?:stop|kill|rm|pause|restart|container|update|volume|compose|network|swarm|system)$/,
  launchctl: /^(?:stop|remove|unload|bootout|kill|disable)$/,
  "rc-service": /^.+$/,
};

function judgeManager(run: Run, words: readonly string[], verbs: RegExp) {
  const { policy } = run;
  const at = words.findIndex((word, index) => index > 0 && !word.startsWith("-"));
  const verb = words[at] ?? "";
  if (at === -1) return;
  if (!isKnown(verb)) refuse("COMMAND_UNKNOWN", "What is done to services is named when it runs.");
  if (
    /^(?:poweroff|reboot|halt|suspend|hibernate|emergency|rescue|kexec|isolate|exit)$/.test(verb) &&
    baseOf(words[0] ?? "") === "systemctl"
  )
    refuse("HOST_PROTECTED", "It stops the machine.");
  if (
    /^(?:edit|link|set-property|revert|set-environment|import-environment)$/.test(verb) &&
    baseOf(words[0] ?? "") === "systemctl"
  )
    refuse("HOST_PROTECTED", "It changes what the machine runs.");
  if (!verbs.test(verb)) return;
  const names = words.filter((word, index) => index > 0 && index !== at && !word.startsWith("-"));
  for (const name of names) {
    const plain = name.replace(/\.(?:service|timer|socket)$/, "");
    if (
      !isKnown(plain) ||
      plain === "all" ||
      plain === "*" ||
      policy.processes.some((own) =>
        plain
          .toLowerCase()
          .split(/[-_.@]/)
          .includes(own),
      )
    ) {
      refuse("OWN_PROCESS", "It may stop the runtime.");
    }
  }
  if (/^(?:kill|shutdown|stopall|restartall|flush)$/.test(verb) && names.length === 0)
    refuse("OWN_PROCESS", "It stops everything.");
}

function judgeContainer(run: Run, words: readonly string[], input: Input) {
  const verbAt = words.findIndex((word, index) => index > 0 && !word.startsWith("-"));
  let verb = words[verbAt] ?? "";
  let rest = words.slice(verbAt + 1);
  if (/^(?:compose|container|image|volume|network|system)$/.test(verb)) {
    if (verb === "system" && rest[0] === "prune" && rest.some((word) => word === "--volumes"))
      refuse("HOST_PROTECTED", "It deletes every volume that is not in use.");
    const next = rest.findIndex((word) => !word.startsWith("-"));
    verb = rest[next] ?? "";
    rest = rest.slice(next + 1);
  }
  if (
    rest.some(
      (word, index) =>
        /^--(?:privileged|pid=host|cap-add.*|security-opt.*|device.*|userns=host|ipc=host)$/.test(word) ||
        (/^--(?:pid|userns|ipc)$/.test(word) && rest[index + 1] === "host"),
    )
  ) {
    refuse("HOST_PROTECTED", "The container may reach the machine it runs on.");
  }
  for (const word of rest) touch(run, word, "any");
  if (verb !== "exec" && verb !== "run") return;
  const values = [
    "-e",
    "--env",
    "-w",
    "--workdir",
    "-u",
    "--user",
    "-v",
    "--volume",
    "-p",
    "--publish",
    "--name",
    "--network",
    "--net",
    "--mount",
    "--env-file",
    "--entrypoint",
    "-m",
    "--memory",
    "--cpus",
    "-l",
    "--label",
    "-h",
    "--hostname",
    "--restart",
    "--platform",
    "--index",
    "-c",
    "--container",
    "-n",
    "--namespace",
  ];
  const entry = rest.findIndex((word) => /^--entrypoint(?:=|$)/.test(word));
  const target = operandFrom(rest, values, 0);
  const inner = rest.slice(target + 1);
  const first =
    entry === -1
      ? []
      : [rest[entry]?.includes("=") ? (rest[entry] ?? "").slice("--entrypoint=".length) : (rest[entry + 1] ?? "")];
  const command = [...first, ...(inner[0] === "--" ? inner.slice(1) : inner)];
  // An image of its own and options for it: what it runs is the image's.
  if (command.length > 0 && !(command[0] ?? "").startsWith("-")) run.judgeWords(command, input);
}

const DATABASES =
  /^(?:sqlite3?|psql|mysql|mariadb|mongosh?|redis-cli|valkey-cli|duckdb|clickhouse(?:-client)?|cockroach|sqlcmd|cqlsh|dropdb|mysqladmin|litecli|pgcli|usql|turso)$/;
const RUNS_CODE =
  /(?:^|[\s;])\\!|^[ \t]*\.(?:shell|system|load|output|once|import|restore|open|backup|save|clone|log|excel|cd|read|archive|ar)\b|\bload_extension\b|\bwritefile\b|\breadfile\b|\bedit\s*\(|\bpg_read_file\b|\blo_export\b|\binto\s+(?:outfile|dumpfile)\b|\bload_file\b|\bsystem\s*\(|\battach\b/im;

/** SQL and its kin without comments, spaces made one, in small letters. */
function plainSql(text: string): string {
  let plain = "";
  for (let at = 0; at < text.length; ) {
    const close = text.startsWith("/*", at)
      ? text.indexOf("*/", at + 2)
      : text.startsWith("--", at)
        ? text.indexOf("\n", at)
        : undefined;
    if (close === undefined) {
      plain += text[at];
      at += 1;
    } else if (close === -1) break;
    else {
      plain += " ";
      at = close + (text[close] === "*" ? 2 : 1);
    }
  }

  return plain.replace(/\s+/g, " ").toLowerCase();
}

function isDestructive(text: string): boolean {
  return plainSql(text)
    .split(";")
    .some(
      (statement) =>
        /\bdrop (?:table|database|schema|view|index|collection|keyspace|user|role|column|owned|trigger|if)\b|\btruncate\b|\bflush(?:all|db)\b|\bdropdatabase\b|\.drop(?:indexes)? ?\(|\bdeletemany ?\( ?(?:\{ ?\})? ?\)|\bremove ?\( ?\{ ?\} ?\)|\bshutdown\b|\bwritable_schema\b|\bjournal_mode ?= ?off|\bdebug (?:segfault|sleep)|\bconfig set\b|\bslaveof\b|\breplicaof\b|\breset\b/.test(
          statement,
        ) ||
        (/\bcopy\b/.test(statement) && /\bprogram\b/.test(statement)) ||
        (/\bdelete from\b/.test(statement) &&
          (!/\bwhere\b/.test(statement) || /\bwhere (?:\(? ?1 ?= ?1|true\b|1\b ?$|not false|'' ?=)/.test(statement))) ||
        (/\bupdate\b/.test(statement) && /\bset\b/.test(statement) && !/\bwhere\b/.test(statement)),
    );
}

function judgeDatabase(run: Run, words: readonly string[], input: Input) {
  const name = baseOf(words[0] ?? "");
  if (name === "dropdb" || (name === "mysqladmin" && words.some((word) => /^(?:drop|shutdown)$/.test(word))))
    refuse("DATABASE_PROTECTED", "It deletes a database.");
  const isSqlite = /^(?:sqlite3?|duckdb|litecli)$/.test(name);
  const operands = words.slice(1).filter((word) => !word.startsWith("-"));
  const texts = isSqlite ? operands.slice(1) : words.slice(1);
  const given = [
    ...texts,
    ...(name.endsWith("-cli") ? [words.slice(1).join(" ")] : []),
    ...(input.kind === "text" ? [input.text] : []),
  ];
  for (const text of given) {
    if (!isKnown(text) && (isSqlite || /\s/.test(text)))
      refuse("DATABASE_PROTECTED", "A statement is put together when it runs.");
    if (RUNS_CODE.test(text)) refuse("CODE_UNSEEN", "A statement runs commands, or reads or writes files.");
    if (isDestructive(text)) refuse("DATABASE_PROTECTED", "A statement deletes tables or all of their rows.");
  }
  for (const [index, word] of words.entries()) {
    if (/^(?:-c|-e|--command|--execute|--eval|-q)$/.test(word) && !isKnown(words[index + 1] ?? ""))
      refuse("DATABASE_PROTECTED", "A statement is put together when it runs.");
  }
  if (input.kind === "pipe") refuse("DATABASE_PROTECTED", "Statements come from another command.");
  if (input.kind === "file") run.executed.push(baseOf(input.path));
  const isReading =
    isSqlite &&
    given.length > 0 &&
    given.every((text) =>
      text
        .split(";")
        .every((statement) =>
          /^\s*(?:$|select\b|explain\b|pragma (?:table_info|integrity_check|user_version\s*$|quick_check)|\.(?:tables|schema|headers|mode|databases|indexes|width|help)\b)/i.test(
            statement,
          ),
        ),
    );
  for (const word of isSqlite
    ? [...operands.slice(0, 1), ...words.slice(1).filter((each) => each.startsWith("-"))]
    : words.slice(1)) {
    if (!/\s/.test(word)) touch(run, word, isReading ? "read" : "any");
  }
}

const INSTALLERS = /^(?:npm|pnpm|yarn|bun|cnpm|ni|pip3?|pipx|uv|poetry|brew|cargo|go|gem|composer)$/;
const CHANGES =
  /^(?:install|i|in|ins|inst|insta|instal|isnt|isntall|add|uninstall|un|unlink|remove|rm|r|update|up|upgrade|udpate|link|ln|unlink|dedupe|ci|it|rebuild|rb|patch|patch-commit|override|import|get|require|pack|publish|unpublish|deprecate)$/;

/** Whether a package's name stands in what an installer is given: alone, with a version, behind an alias, or in an address. */
function namesPackage(spec: string, own: string): boolean {
  for (let at = spec.indexOf(own); at !== -1; at = spec.indexOf(own, at + own.length)) {
    const [before, after] = [spec[at - 1] ?? "", spec.slice(at + own.length, at + own.length + 2)];
    if (/^[/@:]?$/.test(before) && /^(?:$|[@#/.]|-\d)/.test(after)) return true;
  }

  return false;
}

function judgePackages(run: Run, words: readonly string[], input: Input): boolean {
  const name = baseOf(words[0] ?? "");
  const { policy } = run;
  const isNode = /^(?:npm|pnpm|yarn|bun|cnpm)$/.test(name);
  const at = operandFrom(
    words,
    ["--prefix", "-C", "--dir", "--cwd", "-w", "--workspace", "--filter", "-F", "--userconfig", "--globalconfig"],
    1,
  );
  const verb = words[at] ?? "";
  const rest = words.slice(at + 1);
  if (
    isNode &&
    words.some((word) =>
      /^--(?:script-shell|shell|userconfig|globalconfig|node-options|registry|git|editor)(?:=|$)/.test(word),
    )
  )
    refuse("CODE_UNSEEN", "An option decides what code runs.");
  if (isNode && /^(?:exec|x|dlx)$/.test(verb)) {
    const call = rest.findIndex((word) => /^(?:-c|--call|--shell-mode)$/.test(word));
    if (call !== -1) judgeInner(run, rest[call + 1] ?? "", input);
    else if (rest.some((word) => word.startsWith("--call=")))
      refuse("CODE_UNSEEN", "It runs a script that stands in an option.");
    else run.judgeWords(["npx", ...rest], input);

    return true;
  }
  if (isNode && ["explore", "edit", "run-script-unsafe"].includes(verb))
    refuse("CODE_UNSEEN", `${name} ${verb} runs a command in a package.`);
  if (
    isNode &&
    ((/^(?:config|c)$/.test(verb) && /^(?:set|edit|delete|rm|fix)$/.test(rest[0] ?? "")) ||
      verb === "set" ||
      verb === "set-script" ||
      (verb === "pkg" && /^(?:set|delete|fix)$/.test(rest[0] ?? "")))
  ) {
    refuse("ENVIRONMENT_PROTECTED", "It changes what packages run.");
  }
  if (/^(?:yarn|pnpm)$/.test(name) && /^(?:policycage|automaton)$/.test(verb)) {
    run.judgeWords(words.slice(at), input);

    return true;
  }
  if (isNode && CHANGES.test(verb)) {
    for (const word of rest) {
      const spec = word.toLowerCase();
      if (!isKnown(spec)) refuse("OWN_PACKAGE", "A package is named when it runs.");
      if (policy.packages.some((own) => namesPackage(spec, own))) {
        refuse("OWN_PACKAGE", "It changes a package that guards the agent.");
      }
    }
  }
  if (/^pip3?$|^pipx$|^uv$|^cargo$|^gem$|^brew$/.test(name)) {
    for (const word of rest)
      if (policy.packages.some((own) => word.toLowerCase() === own))
        refuse("OWN_PACKAGE", "It changes a package that guards the agent.");
  }
  for (const word of words.slice(1))
    if (/[/~.]/.test(word) && !/^[@\w-]+\/[\w.-]+(?:@.*)?$/.test(word)) touch(run, word, "any");
  if (isNode && verb === "run" && rest.includes("--")) for (const word of rest) touch(run, word, "any");

  return true;
}

function judgeCage(run: Run, words: readonly string[]) {
  const verb = words.slice(1).find((word) => !word.startsWith("-"));
  if (words.slice(1).some((word) => !isKnown(word)))
    refuse("OWNER_COMMAND", "A command of policycage is put together when it runs.");
  if (verb === undefined || words.includes("--help") || words.includes("--version")) return;
  if (!run.policy.agentCommands.includes(verb)) refuse("OWNER_COMMAND", `policycage ${verb} is the owner's.`);
  for (const word of words.slice(1)) touch(run, word, "read");
}

/** Judges what is the machine's or the owner's; false where the program is neither. */
export function judgeHost(run: Run, words: readonly string[], input: Input): boolean {
  const name = baseOf(words[0] ?? "");
  const line = words.join(" ");
  if (name === "policycage") {
    judgeCage(run, words);

    return true;
  }
  // Its program by its path, under whatever runs it; what runs it is judged too, since a word may hold a whole script that ends so.
  const program = words.findIndex((word) =>
    /(?:^|\/)(?:policycage\/(?:.*\/)?cli\/main|sdk\/cli\/main)\.[cm]?[jt]s$|(?:^|\/)\.?bin\/policycage$/.test(word),
  );
  if (program !== -1) judgeCage(run, ["policycage", ...words.slice(program + 1)]);
  if (HOST.test(name)) {
    if (HOST_READING[name]?.test([name, ...words.slice(1)].join(" ")) && isKnown(line)) return true;
    refuse("HOST_PROTECTED", `${name} changes or stops the machine, or reads other processes.`);
  }
  if (name === "kill") judgeKill(run, words);
  else if (name === "pkill" || name === "killall" || name === "skill" || name === "killall5")
    judgeKillByName(run, words);
  else if (name === "crontab") {
    if (!/^(?:-l|-u)$/.test(words[1] ?? "")) refuse("HOST_PROTECTED", "It changes what the machine runs by itself.");
    if (words.some((word) => /^-[re]$/.test(word)))
      refuse("HOST_PROTECTED", "It changes what the machine runs by itself.");
  } else if (MANAGERS[name] !== undefined) {
    judgeManager(run, words, MANAGERS[name]);
    if (/^(?:docker|podman|nerdctl)$/.test(name)) judgeContainer(run, words, input);
    else for (const word of words.slice(1)) touch(run, word, "any");
  } else if (name === "kubectl" || name === "docker-compose") {
    judgeContainer(run, words, input);
  } else if (DATABASES.test(name)) judgeDatabase(run, words, input);
  else if (INSTALLERS.test(name) && name !== "bun") return judgePackages(run, words, input);
  else if (name === "bun" && (CHANGES.test(words[1] ?? "") || words[1] === "x"))
    return judgePackages(run, words, input);
  else if (name === "cast" || name === "forge") {
    if (
      /^(?:send|publish|mktx|wallet|w)$/.test(words[1] ?? "") ||
      words.some((word) => /^--(?:broadcast|private-key|mnemonic|interactive|unlocked|keystore)/.test(word)) ||
      (name === "forge" && words[1] === "create")
    ) {
      refuse("OWNER_COMMAND", "It signs transactions beside the cage.");
    }
    for (const word of words.slice(1)) touch(run, word, "any");
  } else if (name === "tmux" || name === "screen" || name === "byobu") {
    if (/^(?:ls|list-sessions|list-windows|-ls|-list|has-session|attach|a|attach-session|-r)$/.test(words[1] ?? ""))
      return true;
    if (/kill/.test(words[1] ?? "") || words.includes("-X"))
      refuse("OWN_PROCESS", "It may stop the runtime, or type into its terminal.");
    refuse("CODE_UNSEEN", "What a terminal of its own runs is not judged.");
  } else return false;

  return true;
}
