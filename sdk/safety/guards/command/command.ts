import {
  type Command,
  type CommandNode,
  forEachChild,
  parse,
  type Redirection,
  type SyntaxNode,
  type Word,
} from "unbash";
import { hasInvisible } from "../../../text/invisible.ts";
import type { RealPaths } from "../paths.ts";
import { isKnown, knownLetters, MANY, SPLIT, UNKNOWN } from "../pattern.ts";
import type { HostPolicy } from "../policy.ts";
import { ALLOWED, type GuardVerdict, Refused, refuse, refused } from "../verdict.ts";
import { requireHarmlessAssignment } from "./environment.ts";
import { assignedReadings, isList, knownText, readingsOf, type Scope, secrecyOf, type Variables } from "./expand.ts";
import { foundBy, judgeFiles, likeNames } from "./files.ts";
import { judgeGit } from "./git.ts";
import { judgeHost } from "./host.ts";
import { judgeCodeRunner } from "./interpreters.ts";
import { baseOf, execute, type Input, NO_INPUT, type Run, touch, write } from "./run.ts";
import { judgeWrapper } from "./wrappers.ts";

/** Characters of a command that are judged. */
const MAX_LENGTH = 65_536;
/** Commands inside commands, and parts of syntax inside each other. */
const MAX_SCRIPTS = 8;
const MAX_DEPTH = 48;
/** Words that a command may become. */
const MAX_WORDS = 10_000;

/**
 * Judges a command line for Bash before a shell gets it: it is parsed, and every command in it, however it is quoted, nested or handed
 * on, is judged by what it does to what the policy protects. Refused is also what cannot be read, names that are computed, and code
 * that no file holds. What a program or a script does inside is not seen.
 * @param folder where the command starts; the policy's workspace by default
 */
export function judgeCommand(
  command: string,
  { policy, files, folder = policy.workspace }: { policy: HostPolicy; files: RealPaths; folder?: string },
): GuardVerdict {
  if (typeof command !== "string") return refused("NOT_TEXT", "The command is not a text.");
  if (command.length > MAX_LENGTH) return refused("COMMAND_TOO_LONG", `It has more than ${MAX_LENGTH} characters.`);
  if (hasInvisible(command)) return refused("COMMAND_UNREADABLE", "It has characters that nobody sees.");

  try {
    const run = newRun(policy, files, folder);
    run.judgeScript(command, NO_INPUT);
    const unseen = run.executed.find((file) => run.written.some((each) => each === file || !isKnown(each)));
    if (unseen !== undefined) refuse("CODE_UNSEEN", "It runs a file that it writes.");
  } catch (error) {
    if (error instanceof Refused) return error.verdict;
    // Whatever else goes wrong: nothing is allowed that was not judged to the end.
    return refused("COMMAND_UNREADABLE", "It could not be judged.");
  }

  return ALLOWED;
}

function newRun(policy: HostPolicy, files: RealPaths, folder: string): Run {
  const variables: Variables = new Map();
  let scripts = 0;
  const run: Run = {
    policy,
    files,
    folder,
    written: [],
    executed: [],
    judgeScript(text, input) {
      if (scripts >= MAX_SCRIPTS) refuse("COMMAND_TOO_DEEP", "Scripts stand inside scripts.");
      scripts += 1;
      const script = parse(text);
      collect(script, variables, 0);
      judgeNode({ run, variables }, script, input, 0);
      scripts -= 1;
    },
    judgeWords(words, input) {
      if (scripts >= MAX_SCRIPTS) refuse("COMMAND_TOO_DEEP", "Commands stand inside commands.");
      scripts += 1;
      judgeProgram(run, words, input);
      scripts -= 1;
    },
  };

  return run;
}

type Judge = { run: Run; variables: Variables };

function scopeOf({ run, variables }: Judge): Scope {
  const scope: Scope = {
    variables,
    home: run.policy.home,
    folder: run.folder,
    outputOf: (script) => {
      const lines =
        script.type === "Script" && script.commands.length === 1
          ? linesOf(script.commands[0]?.command, scope, NO_INPUT)
          : undefined;

      return lines?.length === 1 ? lines[0] : undefined;
    },
  };

  return scope;
}

function children(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  forEachChild(node, (child) => {
    found.push(child);
  });

  return found;
}

/** What the line assigns to its variables, wherever that stands: each value counts everywhere. */
function collect(node: SyntaxNode, variables: Variables, depth: number) {
  if (depth > MAX_DEPTH) refuse("COMMAND_TOO_DEEP", "It is nested too deeply.");
  if ("errors" in node && node.errors !== undefined && node.errors.length > 0)
    refuse("COMMAND_UNREADABLE", "It is no complete command of Bash.");
  const assign = (name: string, word: Word | undefined) => {
    const former = variables.has(name) ? variables.get(name) : [];
    variables.set(
      name,
      word === undefined || former === undefined || former.length > 32 ? undefined : [...former, word],
    );
  };
  if (node.type === "Assignment") {
    assign(
      node.name,
      node.value.type === "Word" && node.append !== true && node.index === undefined ? node.value : undefined,
    );
  } else if (node.type === "For" || node.type === "Select") {
    if (node.wordlist === undefined) assign(node.name.value, undefined);
    for (const word of node.wordlist ?? []) assign(node.name.value, word);
  } else if (node.type === "Command" && node.name !== undefined) {
    // Values for one command alone do not count elsewhere.
    for (const part of node.prefix) if (part.type === "Assignment") assign(part.name, undefined);
    if (/^(?:read|mapfile|readarray|getopts|printf|declare|typeset|local|unset|let|wait)$/.test(node.name.value)) {
      for (const part of node.suffix)
        if (part.type === "Word" && /^[A-Za-z_]\w*$/.test(part.value)) assign(part.value, undefined);
    }
  } else if (node.type === "FileDescriptorVariable") assign(node.name, undefined);
  else if (node.type === "ArithmeticBinary" || node.type === "ArithmeticUnary") {
    for (const side of children(node)) if (side.type === "ArithmeticWord") assign(side.value, undefined);
  }
  for (const child of children(node)) collect(child, variables, depth + 1);
}

/** Judges everything in a part of the syntax, in the order in which it runs. */
function judgeNode(judge: Judge, node: SyntaxNode, input: Input, depth: number) {
  if (depth > MAX_DEPTH) refuse("COMMAND_TOO_DEEP", "It is nested too deeply.");
  const { run } = judge;
  switch (node.type) {
    case "Command":
      return judgeCommandNode(judge, node, input, depth);
    case "Pipeline": {
      const folder = run.folder;
      let from = input;
      for (const command of node.commands) {
        judgeNode(judge, command, from, depth + 1);
        from = { kind: "pipe", lines: linesOf(command, scopeOf(judge), from) };
        const text = textOf(command, scopeOf(judge));
        if (text !== undefined) from = { kind: "text", text };
      }
      if (node.commands.length > 1) run.folder = folder;

      return;
    }
    case "Redirected": {
      const redirected = judgeRedirects(judge, node.redirects, input, depth);

      return judgeNode(judge, node.command, redirected, depth + 1);
    }
    case "Subshell": {
      const folder = run.folder;
      judgeNode(judge, node.body, input, depth + 1);
      run.folder = folder;

      return;
    }
    case "If":
    case "While":
    case "For":
    case "Case":
    case "Select": {
      const folder = run.folder;
      for (const child of children(node)) judgeNode(judge, child, input, depth + 1);
      // What was entered in one branch was not entered in another.
      if (run.folder !== folder) run.folder = undefined;

      return;
    }
    case "ArithmeticCommand":
      // Of two parentheses a plain shell makes commands.
      judgeParentheses(judge, node.body);
      break;
    case "Function": {
      const name = node.name.value;
      if (callsItself(node.body, name, 0)) refuse("HOST_PROTECTED", "A function starts itself without end.");
      const folder = run.folder;
      judgeNode(judge, node.body, { kind: "pipe", lines: undefined }, depth + 1);
      run.folder = folder;

      return;
    }
    case "AndOr":
    case "CompoundList":
    case "Script":
    case "BraceGroup":
    case "Statement":
    case "Coproc":
      for (const child of children(node))
        judgeNode(judge, child, node.type === "Coproc" ? { kind: "pipe", lines: undefined } : input, depth + 1);

      return;
    case "Word":
      readingsOf(node, scopeOf(judge));
      break;
    case "ParameterExpansion":
      readingsOf({ type: "Word", text: node.text, value: node.text, pos: 0, end: 0, parts: [node] }, scopeOf(judge));
      break;
  }
  for (const child of children(node)) judgeNode(judge, child, NO_INPUT, depth + 1);
}

function judgeParentheses({ run }: Judge, body: string) {
  try {
    run.judgeScript(body, NO_INPUT);
  } catch (error) {
    if (!(error instanceof Refused && error.verdict.kind === "refused" && error.verdict.code === "COMMAND_UNREADABLE"))
      throw error;
  }
}

function callsItself(node: SyntaxNode, name: string, depth: number): boolean {
  if (depth > MAX_DEPTH) return true;
  if (node.type === "Command" && node.name?.value === name) return true;

  return children(node).some((child) => callsItself(child, name, depth + 1));
}

/** Judges where input comes from and output goes to. */
function judgeRedirects(judge: Judge, redirects: readonly Redirection[], input: Input, depth: number): Input {
  const { run } = judge;
  let from = input;
  for (const redirect of redirects) {
    for (const child of children(redirect)) judgeNode(judge, child, NO_INPUT, depth + 1);
    if (redirect.type === "HereDoc") {
      const text = knownText(redirect.body.parts, redirect.body.text, scopeOf(judge));
      from = text === undefined ? { kind: "pipe", lines: undefined } : { kind: "text", text };
    } else if (redirect.target !== undefined) {
      const targets = readingsOf(redirect.target, scopeOf(judge));
      for (const target of targets) {
        if (redirect.type === "HereString")
          from = isKnown(target) ? { kind: "text", text: target } : { kind: "pipe", lines: undefined };
        else if (/^[<>]&$/.test(redirect.operator) && /^(?:\d+-?|-)$/.test(target)) continue;
        else if (redirect.operator === "<" || redirect.operator === "<&") {
          touch(run, target, "read");
          from = { kind: "file", path: target };
        } else write(run, target);
        if (/^\/dev\/(?:tcp|udp)\//.test(target)) refuse("NETWORK_SHELL", "It speaks to the network by a redirection.");
      }
    }
  }

  return from;
}

function wordsOf(command: Command, scope: Scope): string[][] {
  let lines: string[][] = [[]];
  for (const part of [...(command.name === undefined ? [] : [command.name]), ...command.args]) {
    const readings = part.type === "Assignment" ? assignedReadings(part, scope) : readingsOf(part, scope);
    const isName = part === command.name;
    // A name that may be several is judged as each of them; other words as all of them.
    lines =
      isName && readings.length > 1 && part.type === "Word" && !isList(part)
        ? readings.map((reading) => [reading])
        : lines.map((words) => [...words, ...readings]);
  }

  return lines;
}

function judgeCommandNode(judge: Judge, node: Command, input: Input, depth: number) {
  const { run } = judge;
  const scope = scopeOf(judge);
  if (node.suffix.length > MAX_WORDS) refuse("COMMAND_TOO_LONG", "It has too many words.");
  for (const child of [...node.prefix, ...(node.name === undefined ? [] : [node.name]), ...node.suffix]) {
    if (!("descriptor" in child)) judgeNode(judge, child, NO_INPUT, depth + 1);
    if (child.type !== "Assignment") continue;
    for (const each of assignedReadings(child, scope))
      requireHarmlessAssignment(child.name, each.slice(each.indexOf("=") + 1));
  }
  const from = judgeRedirects(judge, node.redirects, input, depth);
  if (node.name === undefined) return;
  for (const words of wordsOf(node, scope)) {
    refuseShown(node, words);
    judgeProgram(run, words, from);
  }
}

/** Variables that hold credentials are handed to programs, not shown. */
function refuseShown(node: Command, words: readonly string[]) {
  if (!/^(?:echo|printf|cat|tee|logger|wall|say)$/.test(baseOf(words[0] ?? ""))) return;
  const seen = (part: SyntaxNode, depth: number): boolean => {
    if (depth > MAX_DEPTH) return true;
    const name =
      part.type === "SimpleExpansion"
        ? part.text.slice(1)
        : part.type === "ParameterExpansion" &&
            part.operation?.operator !== "+" &&
            part.operation?.operator !== ":+" &&
            part.prefix !== "#"
          ? part.parameter
          : "";

    return secrecyOf(name) !== undefined || children(part).some((child) => seen(child, depth + 1));
  };
  if (seen(node, 0)) refuse("SECRET_ENVIRONMENT", "It shows a variable that may hold a key.");
}

function judgeProgram(run: Run, words: readonly string[], input: Input) {
  const [name = ""] = words;
  if (words.length > MAX_WORDS) refuse("COMMAND_TOO_LONG", "It has too many words.");
  if (name === "") return;
  const base = baseOf(name);
  if (!isKnown(base) || base === "" || /^-/.test(name)) refuse("COMMAND_UNKNOWN", "What it runs is not written out.");
  if (knownLetters(name) !== name && name.includes(SPLIT)) {
    // The folder may be computed, the program's name may not be split off it.
    if (!name.endsWith(`/${name.split("/").at(-1)}`)) refuse("COMMAND_UNKNOWN", "What it runs is not written out.");
  }
  if (name.includes("/")) {
    if (isKnown(name)) touch(run, name, "read");
    if (!/^\/(?:usr\/(?:local\/)?)?s?bin\//.test(name)) execute(run, name);
  }
  if (judgeHost(run, words, input) || judgeWrapper(run, words, input) || judgeCodeRunner(run, words, input)) return;
  if (base === "git") return judgeGit(run, words, input);
  judgeFiles(run, words, input);
}

/** What a command prints, as a whole text, where that is known. */
function textOf(node: CommandNode, scope: Scope): string | undefined {
  if (node.type !== "Command" || !/^(?:echo|printf|cat)$/.test(node.name?.value ?? "")) return undefined;
  if (node.name?.value === "cat") {
    const [body] = node.redirects;
    if (node.redirects.length !== 1 || node.args.length > 0 || body?.type !== "HereDoc") return undefined;

    return knownText(body.body.parts, body.body.text, scope);
  }
  if (node.redirects.length > 0) return undefined;
  const words = node.args.flatMap((word) => (word.type === "Assignment" ? [UNKNOWN] : readingsOf(word, scope)));
  // Escapes and formats make other letters of these.
  if (words.some((word) => !isKnown(word) || /[\\%]/.test(word)) || /^-/.test(words[0] ?? "")) return undefined;

  return words.join(" ");
}

const PASSES = new Set(["head", "tail", "sort", "uniq", "tac", "tee", "shuf"]);

/** The words that a command prints one a line, with marks in them, where something is known of them. */
function linesOf(node: SyntaxNode | undefined, scope: Scope, input: Input): string[] | undefined {
  const passed = input.kind === "pipe" && input.lines !== undefined ? [...input.lines] : undefined;
  if (node?.type === "Pipeline") {
    let from: Input = NO_INPUT;
    for (const command of node.commands) from = { kind: "pipe", lines: linesOf(command, scope, from) };

    return from.kind === "pipe" && from.lines !== undefined ? [...from.lines] : undefined;
  }
  if (
    node?.type !== "Command" ||
    node.redirects.some(({ type, operator }) => type !== "Redirect" || !/>/.test(operator))
  )
    return undefined;
  const words = wordsOf(node, scope)[0] ?? [];
  const [name = "", ...rest] = words;
  const operands = rest.filter((word) => !word.startsWith("-"));
  switch (baseOf(name)) {
    case "find":
      return foundBy(words, true).expression.some((word) => /^-(?:exec|ok|printf|fprint)/.test(word))
        ? undefined
        : foundBy(words, true).lines;
    case "echo":
      return rest.some((word) => word.includes("\\") || word.startsWith("-")) ? undefined : rest;
    case "ls":
      return operands.length === 0
        ? [globOf(".")]
        : rest.some((word) => /^-[a-zA-Z]*l/.test(word))
          ? undefined
          : operands.map((word) => (isKnown(word) ? globOf(word) : word));
    case "git":
      if (rest[0] === "ls-files" && operands.length > 1) return operands.slice(1).flatMap(likeNames);
      if (rest[0] === "diff" && rest.includes("--name-only") && rest.includes("--") && rest.at(-1) !== "--") {
        return rest.slice(rest.indexOf("--") + 1).flatMap(likeNames);
      }
      if (rest[0] === "rev-parse" && rest[1] === "--short") return ["0"];
      if (rest[0] === "rev-parse" && rest.length === 2 && /^(?:HEAD|main|master)$/.test(rest[1] ?? "")) return ["0"];
      if (
        (rest[0] === "branch" && rest[1] === "--show-current") ||
        rest[0] === "describe" ||
        (rest[0] === "rev-parse" && rest[1] === "--abbrev-ref")
      )
        return ["0"];

      return undefined;
    case "grep":
    case "rg":
      if (passed !== undefined && operands.length < 2) return passed;
      if (!rest.some((word) => /^-[a-zA-Z]*l|^--files-with-matches/.test(word))) return undefined;

      return operands.length < 2
        ? [globOf(".")]
        : operands.slice(1).map((word) => (isKnown(word) && !/\.\w+$/.test(word) ? globOf(word) : word));
    case "cat":
      // Kept where the agent does not write: the number of a service.
      return operands.length === 1 &&
        /^\/(?:var\/)?run\/[\w/.-]+\.pid$/.test(operands[0] ?? "") &&
        !operands[0]?.includes("..")
        ? [`@${operands[0]}`]
        : undefined;
    case "date":
      return rest.every((word) => /^(?:-u|--utc|-I\w*|\+(?:%[-0]?[A-Za-z]|[-_:.T])*)$/.test(word)) ? ["0"] : undefined;
    case "nproc":
    case "wc":
    case "uname":
    case "arch":
      return ["0"];
    case "id":
      return rest[0] === "-u" || rest[0] === "-g" ? ["0"] : undefined;
    case "seq":
      return ["0"];
    case "mktemp":
      return operands.length === 0 ? ["/tmp/0"] : undefined;
    case "pwd":
      return scope.folder === undefined ? undefined : [scope.folder];
    case "which":
      return operands.length === 1 && /^[\w.-]+$/.test(operands[0] ?? "") ? [`/usr/bin/${operands[0]}`] : undefined;
    default:
      return PASSES.has(baseOf(name)) && operands.every((word) => /^\d+$/.test(word)) ? passed : undefined;
  }
}

function globOf(folder: string): string {
  return folder === "." || folder === "./" ? MANY : `${folder}/${MANY}`;
}
