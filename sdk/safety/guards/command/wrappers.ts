// Programs that run other programs: what they run is judged as if it stood alone.

import { isKnown, knownLetters, UNKNOWN } from "../pattern.ts";
import { refuse } from "../verdict.ts";
import { requireHarmlessAssignment } from "./environment.ts";
import { baseOf, type Input, type Run, touch } from "./run.ts";

/** Options that take the next word as their value, and how many words stand before the command. */
type Wrapper = { values: readonly string[]; operands?: number; refused?: readonly string[] };

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  sudo: {
    values: ["-u", "-g", "-h", "-p", "-C", "-r", "-t", "-T", "-U", "-D", "--user", "--group"],
    refused: ["-i", "-s", "-e", "--login", "--shell", "--edit"],
  },
  doas: { values: ["-u", "-C"], refused: ["-s"] },
  nohup: { values: [] },
  setsid: { values: [] },
  nice: { values: ["-n", "--adjustment"] },
  ionice: { values: ["-c", "-n", "-p"] },
  time: { values: ["-f", "-o", "--format", "--output"] },
  timeout: { values: ["-s", "-k", "--signal", "--kill-after"], operands: 1 },
  stdbuf: { values: ["-i", "-o", "-e"] },
  chrt: { values: [], operands: 1 },
  taskset: { values: [], operands: 1 },
  builtin: { values: [] },
  exec: { values: ["-a"] },
  busybox: { values: [] },
  toybox: { values: [] },
  unbuffer: { values: [] },
  chronic: { values: [] },
  caffeinate: { values: ["-t", "-w"] },
  strace: { values: ["-e", "-o", "-s", "-u", "-E"], refused: ["-p", "--attach"] },
  ltrace: { values: ["-e", "-o", "-s", "-u"], refused: ["-p"] },
  "xvfb-run": { values: ["-n", "-s"] },
  dotenv: { values: ["-e"] },
  "cross-env": { values: [] },
  npx: { values: ["-p", "--package", "-w", "--workspace"] },
  bunx: { values: ["-p", "--package"] },
  pnpx: { values: ["-p", "--package"] },
  uvx: { values: ["--from", "--with", "-p"] },
};

/** Where the first word that is no option stands. */
export function operandFrom(words: readonly string[], values: readonly string[], from: number): number {
  let at = from;
  while (at < words.length) {
    const word = words[at] ?? "";
    if (word === "--") return at + 1;
    if (!word.startsWith("-") || word === "-") return at;
    at += values.includes(word) ? 2 : 1;
  }

  return at;
}

/** A script that stands in a word. @throws Refused where part of it is not known */
export function judgeInner(run: Run, script: string, input: Input) {
  if (!isKnown(script)) refuse("CODE_UNSEEN", "It runs a script that is put together when it runs.");
  run.judgeScript(script, input);
}

function judgeEnv(run: Run, words: readonly string[], input: Input) {
  let at = 1;
  while (at < words.length) {
    const word = words[at] ?? "";
    if (word === "-S" || word === "--split-string") return judgeInner(run, words.slice(at + 1).join(" "), input);
    if (/^(?:-S|--split-string=)/.test(word)) {
      return judgeInner(run, [word.replace(/^(?:-S|--split-string=)/, ""), ...words.slice(at + 1)].join(" "), input);
    }
    if (/^-[a-zA-Z]*S/.test(word)) refuse("COMMAND_UNREADABLE", "Options of env stand together.");
    if (word === "-u" || word === "--unset" || word === "-C" || word === "--chdir") {
      if (word === "-C" || word === "--chdir") run.folder = undefined;
      at += 2;
    } else if (/^[A-Za-z_]\w*=/.test(word)) {
      requireHarmlessAssignment(word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1));
      at += 1;
    } else if (word.startsWith("-") && !word.startsWith("--chdir=")) at += 1;
    else break;
  }
  if (at >= words.length) refuse("SECRET_ENVIRONMENT", "It shows the whole environment.");
  run.judgeWords(words.slice(at), input);
}

function judgeXargs(run: Run, words: readonly string[], input: Input) {
  const values = [
    "-n",
    "-L",
    "-P",
    "-d",
    "-I",
    "-s",
    "-E",
    "-a",
    "--max-args",
    "--max-procs",
    "--delimiter",
    "--arg-file",
    "--replace",
  ];
  const start = operandFrom(words, values, 1);
  const options = words.slice(1, start);
  for (const option of options) touch(run, option, "any");
  const replaceAt = options.findIndex((option) => /^(?:-I|-i|--replace)/.test(option));
  const isFromFile = options.some((option) => /^(?:-a|--arg-file)/.test(option));
  const lines = !isFromFile && input.kind === "pipe" && input.lines !== undefined ? input.lines : [UNKNOWN];
  const command = words.slice(start);
  if (command.length === 0) return;
  if (replaceAt === -1) return run.judgeWords([...command, ...lines], { kind: "pipe", lines: undefined });
  const option = options[replaceAt] ?? "";
  const hole = /^-I.|^--replace=./.test(option)
    ? option.replace(/^-I|^--replace=/, "")
    : option === "-I"
      ? (options[replaceAt + 1] ?? "{}")
      : "{}";
  for (const line of lines.slice(0, 32)) {
    run.judgeWords(
      command.map((word) => word.replaceAll(hole, line)),
      { kind: "pipe", lines: undefined },
    );
  }
}

/** Options of ssh and of what goes over it that name a command to run here. */
function refuseProxies(words: readonly string[]) {
  for (const [index, word] of words.entries()) {
    const value = /^-o./.test(word) ? word : word === "-o" ? (words[index + 1] ?? "") : "";
    if (/command|knownhostscommand|localcommand|include|pkcs11|securitykey/i.test(value) || /^-[FSDR]/.test(word)) {
      refuse("CODE_UNSEEN", "An option of the connection runs a command or opens a way in.");
    }
  }
}

/** "tsc@5", or "@scope/tool@5", by its name. */
function withoutVersion(name: string): string {
  const at = name.indexOf("@", 1);

  return at === -1 ? name : name.slice(0, at);
}

/** Judges what a wrapper runs; false where the program is none. */
export function judgeWrapper(run: Run, words: readonly string[], input: Input): boolean {
  const name = baseOf(words[0] ?? "");
  switch (name) {
    case "env":
      judgeEnv(run, words, input);

      return true;
    case "command":
      if (/^-[a-zA-Z]*[vV]/.test(words[1] ?? "")) return true;
      run.judgeWords(words.slice(words[1] === "-p" ? 2 : 1), input);

      return true;
    case "xargs":
    case "gxargs":
      judgeXargs(run, words, input);

      return true;
    case "eval":
      judgeInner(run, words.slice(words[1] === "--" ? 2 : 1).join(" "), input);

      return true;
    case "trap":
      if (words.length > 2 && words[1] !== "-" && words[1] !== "-p" && words[1] !== "-l")
        judgeInner(run, words[1] === "--" ? (words[2] ?? "") : (words[1] ?? ""), input);

      return true;
    case "alias":
      for (const word of words.slice(1))
        if (word.includes("=")) judgeInner(run, word.slice(word.indexOf("=") + 1), input);

      return true;
    case "watch": {
      const start = operandFrom(words, ["-n", "--interval"], 1);
      judgeInner(run, words.slice(start).join(" "), input);

      return true;
    }
    case "flock":
    case "script":
    case "su":
    case "runuser": {
      const at = words.findIndex((word) => /^(?:-[a-z]*c|--command)$/.test(word));
      const attached = words.find((word) => /^--command=/.test(word));
      if (attached !== undefined) judgeInner(run, attached.slice("--command=".length), input);
      else if (at !== -1) judgeInner(run, words[at + 1] ?? "", input);
      else if (name === "flock" && words.length > 2)
        run.judgeWords(words.slice(operandFrom(words, ["-w", "-E"], 1) + 1), input);
      else refuse("CODE_UNSEEN", "It opens a shell.");

      return true;
    }
    case "parallel":
    case "gparallel": {
      const operands = words.slice(operandFrom(words, ["-j", "--jobs", "-n"], 1));
      const end = operands.findIndex((word) => word.startsWith(":::"));
      const command = end === -1 ? operands : operands.slice(0, end);
      if (command.length === 0) refuse("CODE_UNSEEN", "It runs lines that it reads.");
      const values =
        end === -1 || operands[end]?.includes("::::")
          ? [UNKNOWN]
          : operands.slice(end + 1).filter((word) => !word.startsWith(":::"));
      run.judgeScript(command.map((word) => word.replaceAll(/\{[^{}]*\}/g, "placeholder")).join(" "), input);
      run.judgeWords(
        [
          ...command
            .join(" ")
            .split(/\s+/)
            .filter((word) => !/^\{.*\}$/.test(word)),
          ...values,
        ],
        input,
      );

      return true;
    }
    case "ssh": {
      refuseProxies(words);
      const at = operandFrom(
        words,
        ["-p", "-i", "-l", "-o", "-L", "-J", "-c", "-m", "-b", "-e", "-E", "-W", "-w", "-B", "-O", "-Q", "-I"],
        1,
      );
      for (const word of words.slice(1, at)) touch(run, word, "any");
      if (words.length > at + 1) judgeInner(run, words.slice(at + 1).join(" "), input);
      else if (input.kind !== "none" && words.length > at)
        run.judgeScript(input.kind === "text" ? input.text : UNKNOWN, input);

      return true;
    }
    case "scp":
    case "sftp":
      refuseProxies(words);

      return false;
  }
  const wrapper = WRAPPERS[name];
  if (wrapper === undefined) return false;
  if ((name === "npx" || name === "bunx") && words.some((word) => /^(?:-c|--call)$/.test(word))) {
    judgeInner(run, words[words.findIndex((word) => /^(?:-c|--call)$/.test(word)) + 1] ?? "", input);

    return true;
  }
  if (name === "npx" && words.some((word) => word.startsWith("--call=")))
    refuse("CODE_UNSEEN", "It runs a script that stands in an option.");
  let at = operandFrom(words, wrapper.values, 1);
  for (const option of words.slice(1, at)) {
    if (!isKnown(option)) refuse("COMMAND_UNKNOWN", `An option of ${name} is put together when it runs.`);
    if (
      wrapper.refused?.some(
        (each) =>
          option === each || (/^-[a-zA-Z]+$/.test(option) && /^-[a-z]$/.test(each) && option.includes(each[1] ?? "")),
      )
    ) {
      refuse("CODE_UNSEEN", `${name} opens a shell, or another process.`);
    }
    touch(run, option, "any");
  }
  if (name === "time") {
    const output = words.findIndex((word) => word === "-o" || word === "--output");
    if (output !== -1 && output < at) touch(run, words[output + 1] ?? "", "write");
  }
  at += wrapper.operands ?? 0;
  while (/^[A-Za-z_]\w*=/.test(words[at] ?? "")) {
    const word = words[at] ?? "";
    requireHarmlessAssignment(word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1));
    at += 1;
  }
  if (at >= words.length) return true;
  const inner = words.slice(at);
  // A package with its version is run by its name.
  const isPackage = ["npx", "bunx", "pnpx", "uvx"].includes(name);
  run.judgeWords(isPackage ? [withoutVersion(knownLetters(inner[0] ?? "")), ...inner.slice(1)] : inner, input);

  return true;
}
