// Code inside a command: allowed where each of its words is known to be harmless. Everything else must be a file.

const SHARED = [
  "true",
  "false",
  "and",
  "or",
  "not",
  "in",
  "is",
  "if",
  "else",
  "for",
  "return",
  "x",
  "y",
  "i",
  "n",
  "k",
  "v",
  "s",
  "a",
  "b",
  "d",
  "f",
  "e",
  "m",
  "data",
  "line",
  "row",
  "item",
  "key",
  "value",
  "name",
  "version",
  "length",
  "count",
  "total",
  "result",
  "items",
  "sum",
  "min",
  "max",
  "abs",
  "round",
  "map",
  "filter",
  "reduce",
  "join",
  "split",
  "trim",
  "sort",
  "reverse",
  "keys",
  "values",
  "entries",
  "slice",
  "pi",
  "sqrt",
  "floor",
  "ceil",
  "pow",
  "log",
  "random",
];

/** Words of code that read nothing but standard input and JSON, write nothing but standard output, and run nothing. */
const WORDS: Readonly<Record<string, ReadonlySet<string>>> = {
  python: new Set([
    ...SHARED,
    "print",
    "import",
    "from",
    "as",
    "lambda",
    "None",
    "True",
    "False",
    "json",
    "sys",
    "load",
    "loads",
    "dump",
    "dumps",
    "indent",
    "stdin",
    "read",
    "readline",
    "readlines",
    "stdout",
    "len",
    "range",
    "str",
    "int",
    "float",
    "bool",
    "list",
    "dict",
    "set",
    "tuple",
    "sorted",
    "enumerate",
    "zip",
    "any",
    "all",
    "math",
    "datetime",
    "time",
    "date",
    "now",
    "today",
    "utcnow",
    "timezone",
    "utc",
    "isoformat",
    "strftime",
    "timestamp",
    "version_info",
    "major",
    "minor",
    "platform",
    "python_version",
    "maxsize",
    "string",
    "ascii_letters",
    "digits",
    "upper",
    "lower",
    "strip",
    "lstrip",
    "rstrip",
    "replace",
    "startswith",
    "endswith",
    "get",
    "append",
    "uuid",
    "uuid4",
    "hex",
    "statistics",
    "mean",
    "median",
    "decimal",
    "Decimal",
    "hashlib",
    "sha256",
    "md5",
    "encode",
    "decode",
    "hexdigest",
    "base64",
    "b64encode",
    "b64decode",
    "urllib",
    "parse",
    "quote",
    "unquote",
    "executable",
    "__version__",
    "calendar",
    "isleap",
    "choice",
    "randint",
    "secrets",
    "token_hex",
    "re",
    "findall",
    "sub",
  ]),
  node: new Set([
    ...SHARED,
    "console",
    "info",
    "table",
    "error",
    "process",
    "versions",
    "node",
    "arch",
    "platform",
    "uptime",
    "memoryUsage",
    "hrtime",
    "JSON",
    "parse",
    "stringify",
    "Object",
    "Array",
    "isArray",
    "Math",
    "Number",
    "String",
    "Boolean",
    "Date",
    "now",
    "toISOString",
    "getTime",
    "toFixed",
    "toString",
    "BigInt",
    "const",
    "let",
    "var",
    "new",
    "null",
    "undefined",
    "typeof",
    "of",
    "parseInt",
    "parseFloat",
    "toUpperCase",
    "toLowerCase",
    "require",
    "os",
    "cpus",
    "totalmem",
    "freemem",
    "crypto",
    "randomUUID",
    "randomBytes",
    "Set",
    "Map",
    "size",
    "from",
    "scripts",
    "dependencies",
    "devDependencies",
    "engines",
    "replace",
    "includes",
    "padStart",
    "padEnd",
    "Intl",
    "DateTimeFormat",
    "resolvedOptions",
    "timeZone",
    "async",
    "await",
    "performance",
  ]),
  ruby: new Set([
    ...SHARED,
    "puts",
    "p",
    "print",
    "RUBY_VERSION",
    "Time",
    "now",
    "to_s",
    "to_i",
    "upcase",
    "downcase",
    "each",
    "do",
    "end",
  ]),
  perl: new Set(["print", "say", "time", "localtime", "uc", "lc", "scalar"]),
};

const NUMBER = /^(?:0[xX][0-9a-fA-F_]+|\d[\w.]*)$/;
/** Texts, words and single signs. Each starts where the former ends, so that the time is that of one reading. */
const TOKEN = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[A-Za-z_$][\w$]*|\d[\w.]*|[^\s]/g;

const MODULES = new Set(["os", "crypto", "util", "path", "url"]);

/** A text inside code that may stand there: it names no property by which code is made, and nothing is put into it. */
function isPlain(text: string): boolean {
  return !/[\\`]|constructor|prototype|__|#\{|\$\{|\{\$|\{[^{}]*\(/.test(text);
}

/** Whether a module that code asks for can only be data, or one of the language's own that does nothing by itself. */
function isHarmlessModule(text: string): boolean {
  const name = text.slice(1, -1);

  return MODULES.has(name) || /^\.{1,2}\/[\w./-]*package(?:-lock)?\.json$/.test(name) || name === "json";
}

/** Whether all of the code is known to do no harm. */
export function isHarmlessCode(language: string, code: string): boolean {
  if (language === "perl" || language === "sed") return isSubstitution(code);
  const words = WORDS[language];
  if (words === undefined) return false;
  const tokens: readonly string[] = code.match(TOKEN) ?? [];

  return tokens.every((token, index) => {
    const first = token[0] ?? "";
    const before = tokens[index - 1];
    if (first === '"' || first === "'") {
      if (token.length < 2) return false;
      if (!isPlain(token)) return false;

      return before === "(" && tokens[index - 2] === "require" ? isHarmlessModule(token) : true;
    }
    if (/[A-Za-z_$]/.test(first)) {
      // A word before a text changes how the text is read: f"{...}".
      if (
        /^["']/.test(tokens[index + 1] ?? "") &&
        !["import", "in", "and", "or", "return", "echo", "puts", "print", "p", "require", "of", "if", "else"].includes(
          token,
        )
      ) {
        return /^[fbr]$/.test(token)
          ? isPlain(tokens[index + 1] ?? "") && !(tokens[index + 1] ?? "").includes("{")
          : false;
      }
      if (token === "require" && language === "node")
        return tokens[index + 1] === "(" && /^["']/.test(tokens[index + 2] ?? "") && tokens[index + 3] === ")";

      // The process as a whole shows its environment.
      if (token === "process" && tokens[index + 1] !== ".") return false;

      return words.has(token);
    }
    if (NUMBER.test(token)) return true;
    // Names of properties are not computed.
    if (first === "[" && language !== "python") {
      const end = tokens.indexOf("]", index);

      return end !== -1 && tokens.slice(index + 1, end).every((each) => /^["'\d,-]/.test(each)) && end - index < 64;
    }

    // A text that is called is a function of that name; in ruby a per cent sign begins a text, or a command.
    if (first === "(" && /["']$/.test(before ?? "")) return false;
    if (first === "%" && language === "ruby") return false;

    return "()[]{}.,:;+-*/%<>=!?&|@".includes(first);
  });
}

/** `s/a/b/g` and its kind for perl: nothing is computed in it. */
function isSubstitution(code: string): boolean {
  const match = /^\s*(?:s|tr|y)([/|#,!])(.*)$/s.exec(code);
  if (match === null) return isHarmlessPerl(code);
  const [, delimiter = "", rest = ""] = match;
  const [from, to, flags, ...more] = rest.split(delimiter);
  if (from === undefined || to === undefined || flags === undefined || more.length > 0) return false;

  return /^[gimsx]*;?$/.test(flags.trim()) && !/[@`]|\(\?\??\{|\$(?![0-9&\s)|]|$)/.test(from + to);
}

function isHarmlessPerl(code: string): boolean {
  const words = WORDS.perl;
  const tokens: readonly string[] = code.match(TOKEN) ?? [];

  return tokens.every((token) => {
    const first = token[0] ?? "";
    if (first === '"' || first === "'") return token.length >= 2 && !/[@`$]/.test(token);
    if (/[A-Za-z_]/.test(first)) return words?.has(token) === true;

    return /^[\d$]/.test(first) ? /^\$?[\w.]*$/.test(token) : "()+-*;,".includes(first);
  });
}

/** Whether a program for awk runs nothing and writes nothing but standard output. */
export function isHarmlessAwk(program: string): boolean {
  // Signs inside texts and expressions are none of the language's.
  const bare = program.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  if (/system|getline|ENVIRON|@|\bclose\b|\\\n/.test(bare)) return false;
  if (/(?<!\|)\|(?!\|)/.test(bare.replace(/\/[^/\n]*\//g, ""))) return false;

  return bare.split(/[;{}\n]/).every((statement) => {
    const print = statement.indexOf("print");

    return print === -1 || !statement.includes(">", print);
  });
}

const SIMPLE_COMMANDS = "dDgGhHnNpPqQlxz=";

const BRACKETS = /\[\^?(?:\[:\w+:\]|[^\][\\\n])+\]/y;

/** Where the delimiter stands next, beyond escaped signs and, in an expression, beyond brackets; -1 where that is not plain. */
function nextDelimiter(script: string, delimiter: string, from: number, isExpression: boolean): number {
  for (let at = from; at < script.length; at += 1) {
    const letter = script[at];
    if (letter === delimiter) return at;
    if (letter === "\n") return -1;
    if (letter === "\\") at += 1;
    else if (letter === "[" && isExpression) {
      BRACKETS.lastIndex = at;
      const brackets = BRACKETS.exec(script);
      if (brackets === null) return -1;
      at += brackets[0].length - 1;
    }
  }

  return -1;
}

/** Whether a script for sed runs nothing, and reads and writes no file of its own choice. */
export function isHarmlessSed(script: string): boolean {
  let at = 0;
  const skip = (expression: RegExp) => {
    expression.lastIndex = at;
    at += expression.exec(script)?.[0].length ?? 0;
  };
  while (at < script.length) {
    skip(/[\s;{}]*/y);
    // Addresses: numbers, the last line, expressions, ranges, steps.
    for (let part = 0; part < 3; part += 1) {
      skip(/[\d$+~,! ]*/y);
      if (script[at] !== "/" && script[at] !== "\\") continue;
      if (script[at] === "\\") at += 1;
      const end = nextDelimiter(script, script[at] ?? "", at + 1, true);
      if (end === -1) return false;
      at = end + 1;
      skip(/[IM]*/y);
    }
    skip(/[\d$+~,! {]*/y);
    const command = script[at];
    if (command === undefined) return true;
    at += 1;
    if (command === "s" || command === "y") {
      const delimiter = script[at] ?? "";
      const middle = nextDelimiter(script, delimiter, at + 1, true);
      const end = middle === -1 ? -1 : nextDelimiter(script, delimiter, middle + 1, false);
      if (end === -1) return false;
      at = end + 1;
      skip(/[gpiIM\d]*/y);
      if (!/^[\s;}#]?$/.test(script[at] ?? "")) return false;
    } else if ("aic".includes(command)) {
      skip(/[^\n]*/y);
    } else if (":btT".includes(command)) {
      skip(/[^\n;]*/y);
    } else if (command === "}" || command === "#") {
      if (command === "#") skip(/[^\n]*/y);
    } else if (!SIMPLE_COMMANDS.includes(command)) {
      return false;
    }
  }

  return true;
}
