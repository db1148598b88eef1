// Programs that run code: as a file of the workspace, or in place where it is known to be harmless.

import { isKnown } from "../pattern.ts";
import { refuse } from "../verdict.ts";
import { isHarmlessAwk, isHarmlessCode, isHarmlessSed } from "./code.ts";
import { baseOf, execute, type Input, type Run, touch, write } from "./run.ts";

const SHELLS = new Set([
  "sh",
  "bash",
  "dash",
  "ash",
  "ksh",
  "mksh",
  "rbash",
  "zsh",
  "fish",
  "csh",
  "tcsh",
  "pwsh",
  "powershell",
  "nu",
  "xonsh",
  "elvish",
  "rc",
  "yash",
]);
/** Shells whose language is not that of the parser. */
const FOREIGN = new Set(["zsh", "fish", "csh", "tcsh", "pwsh", "powershell", "nu", "xonsh", "elvish", "rc"]);

type Interpreter = {
  language: string;
  /** Long and short options whose value is code. */
  code: readonly string[];
  /** Letters that take code inside a cluster of short options. */
  letters: string;
  /** Options with a value that is none. */
  values: readonly string[];
};

const NODE: Interpreter = {
  language: "node",
  code: ["-e", "--eval", "-p", "--print", "-pe", "-ep"],
  letters: "",
  values: [
    "-r",
    "--require",
    "--import",
    "--loader",
    "-C",
    "--env-file",
    "--test-name-pattern",
    "--test-reporter",
    "-c",
  ],
};
const PERL: Interpreter = { language: "perl", code: [], letters: "eE", values: ["-I"] };

const INTERPRETERS: Readonly<Record<string, Interpreter>> = {
  node: NODE,
  nodejs: NODE,
  bun: NODE,
  tsx: NODE,
  "ts-node": NODE,
  deno: NODE,
  python: { language: "python", code: [], letters: "c", values: ["-W", "-X", "-m"] },
  pypy: { language: "python", code: [], letters: "c", values: ["-W", "-X", "-m"] },
  perl: PERL,
  ruby: { language: "ruby", code: [], letters: "e", values: ["-I", "-r", "-C"] },
  php: { language: "php", code: ["--run"], letters: "rBRE", values: ["-d", "-c", "-S", "-t"] },
  lua: { language: "lua", code: [], letters: "e", values: ["-l"] },
  luajit: { language: "lua", code: [], letters: "e", values: ["-l"] },
  tclsh: { language: "tcl", code: [], letters: "", values: [] },
  expect: { language: "tcl", code: [], letters: "c", values: [] },
  r: { language: "r", code: ["--eval"], letters: "e", values: [] },
  rscript: { language: "r", code: [], letters: "e", values: [] },
  julia: { language: "julia", code: ["--eval", "--print"], letters: "eE", values: [] },
  ghc: { language: "haskell", code: [], letters: "e", values: [] },
  osascript: { language: "applescript", code: [], letters: "e", values: [] },
  guile: { language: "scheme", code: [], letters: "c", values: [] },
  groovy: { language: "groovy", code: [], letters: "e", values: [] },
  scala: { language: "scala", code: [], letters: "e", values: [] },
  elixir: { language: "elixir", code: ["--eval"], letters: "e", values: [] },
  erl: { language: "erlang", code: ["-eval", "-s", "-run"], letters: "", values: [] },
  sbcl: { language: "lisp", code: ["--eval", "--load"], letters: "", values: [] },
  racket: { language: "scheme", code: [], letters: "e", values: [] },
  jshell: { language: "java", code: [], letters: "", values: [] },
};

/** Subcommands of node's kin that run scripts of package.json, tests or builds. */
const SUBCOMMANDS: Readonly<Record<string, readonly string[]>> = {
  bun: [
    "run",
    "test",
    "install",
    "add",
    "remove",
    "build",
    "x",
    "create",
    "pm",
    "update",
    "init",
    "upgrade",
    "outdated",
    "link",
  ],
  deno: [
    "run",
    "test",
    "task",
    "fmt",
    "lint",
    "check",
    "cache",
    "info",
    "install",
    "add",
    "bench",
    "doc",
    "compile",
    "types",
    "upgrade",
  ],
};

function judgeCode(language: string, code: string) {
  if (isKnown(code) && isHarmlessCode(language, code)) return;
  refuse("CODE_UNSEEN", `It runs code for ${language} that stands in the command.`);
}

function judgeShell(run: Run, words: readonly string[], input: Input) {
  const name = baseOf(words[0] ?? "");
  let at = 1;
  while (at < words.length) {
    const word = words[at] ?? "";
    if (!isKnown(word) && word.startsWith("-"))
      refuse("CODE_UNSEEN", "An option of a shell is put together when it runs.");
    if (word === "--version" || word === "--help") return;
    if (word === "--") at += 1;
    if (word === "--" || !/^[-+]/.test(word) || word === "-") break;
    if (/^--(?:rcfile|init-file|login|posix|restricted|debugger|rpm-requires|command)/.test(word))
      refuse("CODE_UNSEEN", `The shell's option ${word} runs another file.`);
    if (/^-[a-zA-Z]*c/.test(word)) {
      const script = words.slice(at + 1).find((each) => !/^[-+]/.test(each)) ?? "";
      if (FOREIGN.has(name)) refuse("CODE_UNSEEN", `The language of ${name} is not judged.`);
      if (!isKnown(script)) refuse("CODE_UNSEEN", "It runs a script that is put together when it runs.");

      return run.judgeScript(script, input);
    }
    if (/^-[a-zA-Z]*[is]/.test(word)) return judgeInputOfShell(run, input, name);
    at += /^[-+][a-zA-Z]*[oO]$/.test(word) ? 2 : 1;
  }
  const file = words[at];
  if (file === undefined || file === "-" || file === "/dev/stdin" || file === "/dev/fd/0")
    return judgeInputOfShell(run, input, name);
  execute(run, file);
}

function judgeInputOfShell(run: Run, input: Input, name: string) {
  if (FOREIGN.has(name)) refuse("CODE_UNSEEN", `The language of ${name} is not judged.`);
  if (input.kind === "text") return run.judgeScript(input.text, { kind: "none" });
  if (input.kind === "file") return execute(run, input.path);
  refuse("CODE_UNSEEN", "A shell runs what it reads.");
}

function judgeInterpreter(
  run: Run,
  words: readonly string[],
  input: Input,
  { language, code, letters, values }: Interpreter,
) {
  const name = baseOf(words[0] ?? "");
  let at = 1;
  let isSubstituting = false;
  while (at < words.length) {
    const word = words[at] ?? "";
    if (!word.startsWith("-") || word === "-" || word === "--") break;
    if (!isKnown(word)) refuse("CODE_UNSEEN", `An option of ${name} is put together when it runs.`);
    const long = word.split("=")[0] ?? "";
    if (/^(?:-v|-V|--version|-h|--help|--v8-options)$/.test(word) && language !== "perl" && language !== "php") return;
    if (
      code.includes(long) ||
      code.some((option) => option.startsWith("--") && long.length > 4 && option.startsWith(long))
    ) {
      return judgeCode(language, word.includes("=") ? word.slice(word.indexOf("=") + 1) : (words[at + 1] ?? ""));
    }
    // Node takes code right behind the letter from no version on; it costs nothing to read it so.
    if (language === "node" && /^-[ep]./.test(word)) return judgeCode(language, word.slice(2));
    if (language === "node" && /^--test$/.test(word) && words[at + 1] === undefined) return;
    if (language === "python" && /^-[a-zA-Z]*m/.test(word) && !/^-[WX]/.test(word))
      return judgeModule(run, words, at, word, input);
    if (/^-[^-]/.test(word)) {
      const cluster = word.slice(1);
      for (let letter = 0; letter < cluster.length; letter += 1) {
        const option = cluster[letter] ?? "";
        if (letters.includes(option)) {
          const text = cluster.slice(letter + 1) || (words[at + 1] ?? "");
          judgeCode(language, text);
          isSubstituting = true;
          const rest = words.slice(at + (cluster.length > letter + 1 ? 1 : 2));
          for (const each of rest) touch(run, each, "write");

          return;
        }
        if (language === "perl" && /[MmIiFdx]/.test(option)) {
          if (/[Mmdx]/.test(option) && !/^[\w:]*$/.test(cluster.slice(letter + 1)))
            refuse("CODE_UNSEEN", "A module of perl stands with code behind it.");
          break;
        }
        if (values.includes(`-${option}`)) break;
      }
    }
    for (const piece of [word, values.includes(word) ? (words[at + 1] ?? "") : ""]) {
      if (/^data:|^--(?:require|import|loader|experimental-loader)=data:/.test(piece))
        refuse("CODE_UNSEEN", "Code stands in an address.");
      touch(run, piece, "any");
      if (/^(?:-r|--require|--import|--loader)$/.test(word) && piece !== word) run.executed.push(baseOf(piece));
    }
    at += values.includes(word) ? 2 : 1;
  }
  if (isSubstituting) return;
  if (words[at] === "--") at += 1;
  const file = words[at];
  if (file !== undefined && file !== "-" && SUBCOMMANDS[name]?.includes(file)) {
    if (name === "bun" && file === "x") return run.judgeWords(words.slice(at + 1), input);
    for (const each of words.slice(at + 1)) touch(run, each, "any");

    return;
  }
  if (name === "deno" && (file === "eval" || file === "repl"))
    return judgeCode(language, words.slice(at + 1).find((each) => !each.startsWith("-")) ?? "%");
  if (name === "bun" && file === "exec") refuse("CODE_UNSEEN", "It runs a script of a shell.");
  if (file === undefined || file === "-" || file === "/dev/stdin" || file === "/dev/fd/0") {
    if (input.kind === "text") return judgeCode(language, input.text);
    if (input.kind === "file") return execute(run, input.path);
    refuse("CODE_UNSEEN", `${name} runs what it reads.`);
  }
  execute(run, file);
  for (const each of words.slice(at + 1)) touch(run, each, "any");
}

function judgeModule(run: Run, words: readonly string[], at: number, word: string, input: Input) {
  const attached = word.slice(word.indexOf("m") + 1);
  const name = attached || (words[at + 1] ?? "");
  const rest = words.slice(at + (attached === "" ? 2 : 1));
  if (!isKnown(name)) refuse("CODE_UNSEEN", "A module is named when it runs.");
  if (
    name === "timeit" ||
    name === "trace" ||
    name === "pdb" ||
    name === "cProfile" ||
    name === "profile" ||
    name === "code" ||
    name === "runpy"
  ) {
    const script = rest.find((each) => !each.startsWith("-"));
    if (name === "timeit") for (const each of rest.filter((text) => !text.startsWith("-"))) judgeCode("python", each);
    else if (script === undefined || rest.includes("-c")) refuse("CODE_UNSEEN", `${name} runs what it reads.`);
    else execute(run, script);

    return;
  }
  if (name === "pip") return run.judgeWords(["pip", ...rest], input);
  for (const each of rest) touch(run, each, "any");
}

/** Options by which awk and sed read their program from a file. */
function programOf(
  run: Run,
  words: readonly string[],
  { withValue, isScript }: { withValue: RegExp; isScript: RegExp },
): { scripts: string[]; files: string[] } {
  const scripts: string[] = [];
  const files: string[] = [];
  let isFromOption = false;
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (isScript.test(word)) {
      scripts.push(words[at + 1] ?? "");
      isFromOption = true;
      at += 1;
    } else if (/^--expression=|^--source=/.test(word)) {
      scripts.push(word.slice(word.indexOf("=") + 1));
      isFromOption = true;
    } else if (/^(?:-f|--file)$/.test(word)) {
      execute(run, words[at + 1] ?? "");
      isFromOption = true;
      at += 1;
    } else if (/^(?:-f.|--file=)/.test(word)) {
      execute(run, word.replace(/^(?:-f|--file=)/, ""));
      isFromOption = true;
    } else if (withValue.test(word)) at += 1;
    else if (!word.startsWith("-") || word === "-") files.push(word);
  }
  if (!isFromOption) scripts.push(files.shift() ?? "");

  return { scripts, files };
}

/** Judges what runs code; false where the program is none. */
export function judgeCodeRunner(run: Run, words: readonly string[], input: Input): boolean {
  const name = baseOf(words[0] ?? "");
  if (SHELLS.has(name)) {
    judgeShell(run, words, input);

    return true;
  }
  if (name === "source" || name === ".") {
    const file = words[1] ?? "";
    if (input.kind === "text" && file === "/dev/stdin") run.judgeScript(input.text, { kind: "none" });
    else execute(run, file);

    return true;
  }
  const plain = name.replace(/^(python|pypy|perl|ruby|lua|php|tclsh|node)[\d.]+(?:-\w+)?$/, "$1");
  const interpreter = INTERPRETERS[plain];
  if (interpreter !== undefined) {
    judgeInterpreter(run, [plain, ...words.slice(1)], input, interpreter);

    return true;
  }
  if (/^[gmn]?awk$|^original-awk$/.test(name)) {
    if (words.some((word) => /^(?:-i|-l|-E|--include|--load|--exec|-o|-d|-p)/.test(word)))
      refuse("CODE_UNSEEN", "awk loads code, or writes a file.");
    const { scripts, files } = programOf(run, words, {
      withValue: /^(?:-F|-v|--field-separator|--assign)$/,
      isScript: /^(?:-e|--source)$/,
    });
    for (const script of scripts)
      if (!isKnown(script) || !isHarmlessAwk(script))
        refuse("CODE_UNSEEN", "A program for awk runs commands, or writes files.");
    for (const file of files) touch(run, file, "read");

    return true;
  }
  if (/^g?sed$/.test(name)) {
    const isInPlace = words.some((word) => /^-[nErsuz]*i|^--in-place/.test(word));
    const { scripts, files } = programOf(run, words, {
      withValue: /^(?:-l|--line-length)$/,
      isScript: /^(?:-[nErsuz]*e|--expression)$/,
    });
    for (const script of scripts) {
      // The value of a variable between two signs can end the expression and begin a command.
      if (!isKnown(script) || !isHarmlessSed(script))
        refuse("CODE_UNSEEN", "A script for sed runs commands, writes files, or is put together when it runs.");
    }
    for (const file of files) {
      if (isInPlace) write(run, file);
      else touch(run, file, "read");
    }

    return true;
  }

  return false;
}
