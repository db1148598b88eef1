// Programs that work on files: what they do to those they are given.

import { isKnown, isOpaque, MANY, UNKNOWN } from "../pattern.ts";
import { refuse } from "../verdict.ts";
import { secrecyOf } from "./expand.ts";
import { baseOf, execute, type Input, type Run, touch, write } from "./run.ts";

const list = (words: string) => new Set(words.split(" "));

/** What they are given is a text, or no file. */
const TEXT = list(
  "echo printf true false : test [ expr tr seq sleep date uname whoami id hostname nproc yes cal return exit shift wait jobs basename dirname break continue uptime free ps top htop pgrep lsof ping dig nslookup host logger tput clear say type which whereis man info apropos groups users who w last factor numfmt getconf locale arch tty umask ulimit times bg fg disown let unset readonly local read getopts mapfile readarray caller dirs popd hash history nslookup traceroute mtr ss netstat ip ifconfig route lscpu lsblk lsmod vmstat iostat figlet cowsay banner df pidof pstree iw getent locale-gen [[ typeset declare export set shopt unalias suspend logout help bind enable compgen complete",
);
/** They see names, sizes and sums. */
const NAME = list(
  "ls ll la dir vdir tree stat file du realpath readlink wc cd pushd pwd md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum shasum md5 exa eza lsd fdfind fd locate",
);
const READ = list(
  "cat tac less more most head tail nl grep egrep fgrep zgrep rg ag ack sort uniq cut diff sdiff colordiff cmp comm join paste column fold fmt rev xxd od hexdump hd strings base64 base32 basenc bat batcat zcat bzcat xzcat zstdcat zless pr expand unexpand iconv tsort look shuf csvlook jq yq xq dasel mlr view eslint tslint prettier biome tsc shellcheck hadolint markdownlint cloc tokei scc",
);
const WRITE = list(
  "rm unlink rmdir shred truncate mv touch chmod chown chgrp chattr setfacl ln install mkfifo mknod mkdir tee sponge split csplit rename mmv patch trash trash-put rimraf del erase wipe srm link fallocate setfattr dos2unix unix2dos gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd",
);
const COPY = list("cp rsync scp gcp ditto");

/** Long options, and single letters, by which a program runs another or reads its orders from a place that nobody sees. */
const RUNS: Readonly<Record<string, { long: readonly string[]; short?: RegExp }>> = {
  tar: {
    long: [
      "--checkpoint-action",
      "--to-command",
      "--info-script",
      "--new-volume-script",
      "--rsh-command",
      "--rmt-command",
    ],
    short: /^-F/,
  },
  bsdtar: { long: ["--to-command"] },
  zip: { long: ["--unzip-command"], short: /^-TT/ },
  rsync: { long: ["--rsync-path"] },
  sort: { long: ["--compress-program"] },
  split: { long: ["--filter"] },
  man: { long: ["--pager", "--html", "--preprocessor"], short: /^-[PH]/ },
  wget: { long: ["--use-askpass", "--execute", "--config"], short: /^-e/ },
  curl: { long: ["--config", "--engine"], short: /^-K/ },
  tcpdump: { long: ["--postrotate-command"], short: /^-z/ },
  make: { long: ["--eval"], short: /^-E/ },
  gmake: { long: ["--eval"], short: /^-E/ },
  bat: { long: ["--pager"] },
  fzf: { long: ["--preview", "--bind", "--execute"] },
  entr: { long: [] },
  gcc: { long: [], short: /^-wrapper/ },
  nmap: { long: ["--script", "--interactive"] },
  openssl: { long: [], short: /^-engine|^-provider/ },
  dpkg: { long: ["--pre-invoke", "--post-invoke"] },
  "apt-get": { long: [], short: /^-o/ },
  apt: { long: [], short: /^-o/ },
  rg: { long: ["--pre", "--hostname-bin"] },
  ag: { long: ["--pager"] },
  less: { long: [], short: /^\+|^-[kP]/ },
  more: { long: [], short: /^\+/ },
  fd: { long: ["--exec", "--exec-batch"], short: /^-[a-zA-Z]*[xX]/ },
  fdfind: { long: ["--exec", "--exec-batch"], short: /^-[a-zA-Z]*[xX]/ },
  hash: { long: [], short: /^-p/ },
  enable: { long: [], short: /^-f/ },
  bind: { long: [], short: /^-x/ },
  complete: { long: [], short: /^-C/ },
  compgen: { long: [], short: /^-C/ },
  mapfile: { long: [], short: /^-[cC]/ },
  readarray: { long: [], short: /^-[cC]/ },
  gpg: {
    long: ["--export-secret-keys", "--export-secret-subkeys", "--delete-secret-keys", "--delete-secret-and-public-key"],
  },
  "ssh-add": { long: [], short: /^-[LDdKsx]/ },
};

const EDITORS = /^(?:vi|vim|nvim|view|gvim|emacs|emacsclient|nano|pico|micro|joe|code|subl)$/;
const COMPRESSORS = /^(?:zstd|pigz|xz|gzip|lz4|bzip2|pbzip2|lzma|zstdmt)(?: -[0-9T]+)*$/;

function refuseRunning(name: string, words: readonly string[]) {
  const runs = RUNS[name];
  if (runs === undefined) return;
  for (const word of words.slice(1)) {
    const long = word.split("=")[0] ?? "";
    const isLong =
      long.length > 3 &&
      long.startsWith("--") &&
      runs.long.some((option) => option === long || (option.startsWith(long) && long.length > 5));
    if (isLong || runs.short?.test(word))
      refuse("CODE_UNSEEN", `An option of ${name} runs a program, or reaches a key.`);
  }
}

/** Names that a pattern of find's or git's stands for: unlike the shell's, it stands for those that begin with a dot as well. */
export function likeNames(pattern: string): string[] {
  const name = pattern.replaceAll("*", UNKNOWN).replaceAll(MANY, UNKNOWN);
  const isEnding = name.startsWith(UNKNOWN) && /^\.[^.]/.test(name.slice(1)) && !isOpaque(name.slice(1));

  return isEnding ? [MANY + name.slice(1), `.${name}`] : [name];
}

/** Files that find may hand on, as words. */
export function foundBy(
  words: readonly string[],
  hasRoots: boolean,
): { lines: string[]; roots: string[]; expression: string[] } {
  const start = words.findIndex((word, index) => index > 0 && /^(?:-[a-zA-Z]{2,}|[!(]|-\d)/.test(word));
  const roots = hasRoots
    ? words.slice(1, start === -1 ? undefined : start).filter((word) => !/^-[HLPOD]/.test(word))
    : ["."];
  const expression = start === -1 ? [] : words.slice(start);
  const names: string[] = [];
  let isUnknown = expression.some(
    (word) => /^(?:!|-not|-regex|-iregex|-newer.*|-samefile|-inum|-files0-from)$/.test(word) && !/^-newer/.test(word),
  );
  const alternatives = expression.filter((word) => word === "-o" || word === "-or").length;
  for (const [index, word] of expression.entries()) {
    if (/^-(?:i?name|i?path|i?wholename)$/.test(word))
      names.push(
        (expression[index + 1] ?? "").replaceAll("*", UNKNOWN).replaceAll("?", UNKNOWN).replaceAll("[", UNKNOWN),
      );
  }
  if (names.length < alternatives + 1) isUnknown = names.length === 0 ? isUnknown : alternatives > 0 || isUnknown;
  const from = roots.length === 0 ? ["."] : roots;
  const lines = from.flatMap((root) => {
    if (isUnknown && names.length > 0) return [`${root}/${MANY}`];
    if (names.length === 0) return [root === "." ? MANY : `${root}/${MANY}`];

    return names.flatMap((name) => likeNames(name).map((like) => `${root}/${like}`));
  });

  return { lines, roots, expression };
}

function judgeFind(run: Run, words: readonly string[], input: Input) {
  const { lines, roots, expression } = foundBy(words, true);
  const isActing = expression.some((word) => /^-(?:delete|exec|execdir|ok|okdir|fprint0?|fprintf|fls)$/.test(word));
  if (!isActing) return;
  for (const word of expression)
    if (!isKnown(word) && /^-/.test(word)) refuse("COMMAND_UNKNOWN", "An action of find is put together when it runs.");
  for (let at = 0; at < expression.length; at += 1) {
    const word = expression[at] ?? "";
    if (word === "-delete") for (const line of lines) touch(run, line, "write");
    if (/^-f(?:print0?|printf|ls)$/.test(word)) write(run, expression[at + 1] ?? "");
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(word)) continue;
    let end = at + 1;
    while (
      end < expression.length &&
      expression[end] !== ";" &&
      !(expression[end] === "+" && expression[end - 1] === "{}")
    )
      end += 1;
    const command = expression.slice(at + 1, end);
    for (const line of lines)
      run.judgeWords(
        command.map((each) => each.replaceAll("{}", line)),
        input,
      );
    at = end;
  }
  if (expression.includes("-delete")) for (const root of roots) if (isOpaque(root)) touch(run, root, "write");
}

/** Whether a search through the whole workspace shows whatever is in it. */
function judgeSearch(run: Run, name: string, words: readonly string[], operands: readonly string[], pattern: string) {
  const isRecursive =
    ["rg", "ag", "ack"].includes(name) || words.some((word) => /^-[a-zA-Z]*[rR]|^--recursive/.test(word));
  if (!isRecursive || words.some((word) => /^-[a-zA-Z]*[lLc]|^--(?:files|count|include|type)|^-[tg]$/.test(word)))
    return;
  const isWhole =
    operands.length === 0 || operands.some((word) => /^\.?\/?$/.test(word) || word === run.policy.workspace);
  if (isWhole && (!/\w{3}/.test(pattern) || secrecyOf(pattern) === "key"))
    refuse("SECRET_FILE", "It shows every line of the workspace.");
}

function judgeReader(run: Run, words: readonly string[]) {
  const name = baseOf(words[0] ?? "");
  const values = /^(?:grep|egrep|fgrep|zgrep|rg|ag|ack)$/.test(name)
    ? [
        "-e",
        "-m",
        "-A",
        "-B",
        "-C",
        "--include",
        "--exclude",
        "--exclude-dir",
        "-g",
        "-t",
        "--type",
        "--glob",
        "--max-count",
        "--context",
        "--color",
      ]
    : /^(?:cut|sort|column|head|tail|fold|fmt|nl|od|xxd|hexdump|strings|paste|join|jq|yq|less|base64)$/.test(name)
      ? [
          "-d",
          "-f",
          "-c",
          "-b",
          "-k",
          "-t",
          "-n",
          "-w",
          "-s",
          "-j",
          "-l",
          "-N",
          "-L",
          "--arg",
          "--argjson",
          "--indent",
          "-A",
          "-e",
          "--delimiter",
          "--lines",
          "--bytes",
        ]
      : [];
  const operands: string[] = [];
  let pattern: string | undefined;
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (/^(?:-o|--output)$/.test(word) && !/grep|^rg$|^ag$|^ack$|^od$|^less$|^jq$|^yq$|^comm$/.test(name))
      write(run, words[++at] ?? "");
    else if (/^--output=/.test(word)) write(run, word.slice("--output=".length));
    else if (name === "sort" && /^-o./.test(word)) write(run, word.slice(2));
    else if (name === "yq" && /^(?:-i|--inplace)$/.test(word))
      for (const each of words.slice(1)) touch(run, each, "write");
    else if (/^(?:prettier|eslint|biome)$/.test(name) && /^--(?:write|fix|apply)/.test(word))
      for (const each of words.slice(1)) touch(run, each, "write");
    else if (values.includes(word)) {
      if (word === "-e" || word === "--regexp") pattern = words[at + 1] ?? "";
      at += 1;
      if (name === "jq" && /^--arg/.test(word)) at += 1;
    } else if (word.startsWith("-") && word !== "-") touch(run, word, "read");
    else operands.push(word);
  }
  const isSearch = /^(?:grep|egrep|fgrep|zgrep|rg|ag|ack)$/.test(name);
  const isFromFile = words.some((word) => /^-f|^--file/.test(word));
  if ((isSearch || name === "jq" || name === "yq" || name === "look") && pattern === undefined && !isFromFile) {
    pattern = operands.shift() ?? "";
    if (name === "jq" || name === "yq") {
      if (/\benv\b|\$ENV|input_filename|\bload|\bstrload|\bsystem\b|\binclude\b|\bimport\b/.test(pattern))
        refuse("SECRET_ENVIRONMENT", "A filter reads the environment or another file.");
    }
  }
  for (const [index, word] of operands.entries()) {
    if (index === 1 && (name === "uniq" || name === "xxd")) write(run, word);
    else touch(run, word, "read");
  }
  if (isSearch) judgeSearch(run, name, words, operands, pattern ?? "");
}

/** Variables whose value it prints or stores anew. */
function judgeText(run: Run, words: readonly string[], input: Input) {
  const name = baseOf(words[0] ?? "");
  if (name === "set" && words.length === 1) refuse("SECRET_ENVIRONMENT", "It shows all variables.");
  if (/^(?:export|declare|typeset|readonly|local)$/.test(name)) {
    if (words.length === 1 || words.some((word) => /^-[a-zA-Z]*p/.test(word)))
      refuse("SECRET_ENVIRONMENT", "It shows all variables.");
    if (words.some((word) => /^-[a-zA-Z]*n/.test(word)))
      refuse("COMMAND_UNREADABLE", "A name stands for another name.");
  }
  if (name === "compgen" && words.some((word) => /^-[a-zA-Z]*[ve]/.test(word)))
    refuse("SECRET_ENVIRONMENT", "It shows all variables.");
  if (
    name === "ps" &&
    words.some(
      (word) => /^-?[a-zA-Z]*e/.test(word) && /^[a-z]+$/.test(word) && word.includes("e") && !word.startsWith("-"),
    )
  )
    refuse("SECRET_ENVIRONMENT", "It shows the environment of processes.");
  if (name === "shopt" && words.some((word) => /dotglob|expand_aliases/.test(word)))
    refuse("COMMAND_UNREADABLE", "It changes how words are read.");
  if (name === "history" && words.some((word) => /^-[cdwa]/.test(word)))
    refuse("AUDIT_TRAIL", "It deletes the record of commands.");
  // Arithmetic inside a name runs what stands in it.
  if (
    /^(?:let|unset|read|printf|declare|typeset|test|\[|\[\[|export|local|readonly|mapfile|readarray)$/.test(name) &&
    words.some((word) => /\[[^\][]*(?:\$\(|`)/.test(word))
  ) {
    refuse("CODE_UNSEEN", "A name has a command in it.");
  }
  if (/^(?:read|mapfile|readarray)$/.test(name) && input.kind === "file") touch(run, input.path, "read");
}

/** Judges a program by what it does to files. Of one that nobody knows, anything is expected but that it runs its words. */
export function judgeFiles(run: Run, words: readonly string[], input: Input) {
  const name = baseOf(words[0] ?? "");
  refuseRunning(name, words);
  if (name === "printenv") {
    const names = words.slice(1).filter((word) => !word.startsWith("-"));
    if (names.length === 0) refuse("SECRET_ENVIRONMENT", "It shows the whole environment.");
    for (const each of names)
      if (!isKnown(each) || secrecyOf(each) !== undefined)
        refuse("SECRET_ENVIRONMENT", `It shows the variable ${isKnown(each) ? each : "of an unknown name"}.`);

    return;
  }
  if (TEXT.has(name)) return judgeText(run, words, input);
  if (name === "find" || name === "gfind") return judgeFind(run, words, input);
  if (NAME.has(name)) {
    if (name === "wc" || name.endsWith("sum"))
      for (const word of words) if (/^--files0-from/.test(word)) touch(run, word, "read");
    if (name === "cd" || name === "pushd")
      moveTo(
        run,
        words.slice(1).find((word) => !word.startsWith("-") || word === "-"),
      );

    return;
  }
  if (READ.has(name)) return judgeReader(run, words);
  if (WRITE.has(name)) {
    judgeWriter(run, name, words);

    return;
  }
  if (COPY.has(name)) return judgeCopy(run, name, words, input);
  if (name === "dd") {
    for (const word of words.slice(1)) {
      if (word.startsWith("of=")) write(run, word.slice(3));
      else touch(run, word, "read");
    }

    return;
  }
  if (name === "nc" || name === "ncat" || name === "netcat" || name === "socat") {
    if (words.some((word) => /^-[a-zA-Z]*[ec]$|^--(?:exec|sh-exec|lua-exec)|(?:EXEC|SYSTEM|SHELL):/i.test(word)))
      refuse("NETWORK_SHELL", "It gives the network a shell.");
  }
  if (
    EDITORS.test(name) &&
    words.some((word) =>
      /^(?:\+|-c$|--cmd|-[eEsS]s?$|--eval|-l$|--load|--script|-u$|--batch|-w$|-W$|-es|--execute|-f$|--funcall)/.test(
        word,
      ),
    )
  ) {
    refuse("CODE_UNSEEN", "The editor is given commands.");
  }
  if (EDITORS.test(name) && input.kind !== "none") refuse("CODE_UNSEEN", "The editor is given commands.");
  if (/^g?make$/.test(name)) {
    for (const [index, word] of words.entries()) {
      if (/^(?:SHELL|\.SHELLFLAGS|MAKEFLAGS)[:?+]?=/.test(word)) refuse("CODE_UNSEEN", "It chooses the shell of make.");
      if (/^(?:-f|--file|--makefile)$/.test(word)) execute(run, words[index + 1] ?? "");
      if (/^-f./.test(word) || /^--(?:make)?file=/.test(word))
        execute(run, word.replace(/^(?:-f|--(?:make)?file=)/, ""));
    }
  }
  if (/^(?:tar|bsdtar)$/.test(name)) {
    for (const [index, word] of words.entries()) {
      const program = /^(?:-I|--use-compress-program)$/.test(word)
        ? words[index + 1]
        : /^--use-compress-program=/.test(word)
          ? word.slice(word.indexOf("=") + 1)
          : /^-I./.test(word)
            ? word.slice(2)
            : undefined;
      if (program !== undefined && !COMPRESSORS.test(program))
        refuse("CODE_UNSEEN", "It chooses the program that packs.");
    }
  }
  if (/^(?:rg|fd)$/.test(name)) return;
  judgeOthers(run, name, words);
}

function judgeOthers(run: Run, name: string, words: readonly string[]) {
  const textOptions =
    name === "gh" || name === "glab" || name === "hub"
      ? /^(?:--title|--body|-t|-b|--notes|--label|-l|--search|-S|-q|--jq|--json|-m)$/
      : /^(?:curl|http|https|xh|wget)$/.test(name)
        ? /^(?:-H|--header|-A|--user-agent|-X|--request|--data-raw|-w|--write-out|-u|--user)$/
        : /^(?:\b\B)$/;
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (textOptions.test(word)) at += 1;
    else if (/^(?:-o|--output|--out|--outfile|-O|--output-document)$/.test(word) && name !== "gh") {
      const target = words[at + 1] ?? "";
      if (name === "curl" && word === "-O") continue;
      if (/^(?:curl|wget|openssl|gpg|http|go|gcc|cc|clang|tsc|esbuild|dot|pandoc)$/.test(name)) {
        write(run, target);
        at += 1;
      }
    } else if (/^--(?:output|out|outfile)=|^-o./.test(word)) touch(run, word, "write");
    // A text in several words is no path.
    else if (!/^[^=]*\s/.test(word))
      touch(
        run,
        word.replace(/^(?:file:\/\/|[a-z][a-z0-9+.-]*:\/\/)/i, (scheme) => (/^file/i.test(scheme) ? "" : "url:")),
        "any",
      );
  }
}

function judgeWriter(run: Run, name: string, words: readonly string[]) {
  let hasMode = /^(?:chmod|chown|chgrp)$/.test(name) && !words.some((word) => word.startsWith("--reference"));
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (name === "touch" && /^-[dt]$/.test(word)) at += 1;
    else if (name === "truncate" && /^-s$/.test(word)) at += 1;
    else if (name === "mkdir" && word === "-m") at += 1;
    else if (hasMode && !/^-[RvcfHLP]+$|^--/.test(word)) hasMode = false;
    else if (/^(?:mv|tee|ln|install|mkfifo|link)$/.test(name)) write(run, word);
    else
      touch(
        run,
        word,
        /^(?:rm|rmdir|shred|rimraf|srm|trash|trash-put|del|erase|wipe|chmod|chown|chgrp|chattr)$/.test(name)
          ? "remove"
          : "write",
      );
  }
  if (name === "mv") for (const word of words.slice(1, -1)) touch(run, word, "remove");
  if (/^(?:ln)$/.test(name)) for (const word of words.slice(1)) touch(run, word, "any");
}

function judgeCopy(run: Run, name: string, words: readonly string[], input: Input) {
  for (const [index, word] of words.entries()) {
    if (name === "rsync" && /^(?:-[a-zA-Z]*e|--rsh)$/.test(word))
      run.judgeScript(`${words[index + 1] ?? UNKNOWN} host`, input);
    if (name === "rsync" && /^--rsh=/.test(word)) run.judgeScript(`${word.slice("--rsh=".length)} host`, input);
    if (/^(?:-t|--target-directory|--password-file|--files-from|--log-file)$/.test(word))
      touch(run, words[index + 1] ?? "", "write");
  }
  const operands = words.slice(1).filter((word) => !/^-/.test(word));
  for (const [index, word] of words.entries()) if (index > 0 && /^-/.test(word)) touch(run, word, "write");
  const target = operands.at(-1) ?? "";
  const sources = operands.slice(0, -1);
  for (const source of sources) touch(run, source, "read");
  write(run, target);
  for (const source of sources) run.written.push(baseOf(source));
}

/** Follows `cd`: where to, or nowhere known. */
function moveTo(run: Run, target: string | undefined) {
  if (target === undefined || target === "~") run.folder = run.policy.home;
  else if (!isKnown(target) || target === "-" || target.startsWith("~")) run.folder = undefined;
  else if (target.startsWith("/")) run.folder = target;
  else if (run.folder !== undefined) run.folder = `${run.folder}/${target}`;
}
