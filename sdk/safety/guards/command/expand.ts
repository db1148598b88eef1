// Words of a command as the shell makes them: quotes off, braces, variables and wildcards put in as far as they are known.

import type { Assignment, SyntaxNode, Word, WordPart } from "unbash";
import { globbed, isKnown, MANY, ONE, SPLIT, UNKNOWN } from "../pattern.ts";
import { refuse } from "../verdict.ts";

/** What a name may stand for: each word that the line assigns to it; undefined where something else may be in it. */
export type Variables = Map<string, readonly Word[] | undefined>;

export type Scope = {
  variables: Variables;
  home: string;
  folder: string | undefined;
  /** What a substitution prints, where that is known. */
  outputOf: (script: SyntaxNode) => string | undefined;
};

/** More ways to read a word than these make it unknown. */
const MAX_READINGS = 32;
const MAX_NESTED = 8;
/** What holds a number, or nothing. */
const NUMBERS = new Set([
  "?",
  "#",
  "!",
  "RANDOM",
  "SECONDS",
  "LINENO",
  "UID",
  "EUID",
  "BASHPID",
  "COLUMNS",
  "LINES",
  "EPOCHSECONDS",
]);

const KEYS = /(?:PRIVATE|SECRET|WALLET|SESSION|SIGNER|OWNER|OPERATOR)_?KEY|MNEMONIC|SEED|KEYSTORE/i;
const CREDENTIALS = /KEY|TOKEN|SECRET|PASS(?:WORD|WD|PHRASE)|CREDENTIAL/i;

/** Whether a variable of this name is likely to hold a key of a wallet, or what lets one in elsewhere. */
export function secrecyOf(name: string): "key" | "credential" | undefined {
  if (KEYS.test(name)) return "key";

  return CREDENTIALS.test(name) && !/KEYBOARD|TOKENIZ|BYPASS/i.test(name) ? "credential" : undefined;
}

function combine(lefts: readonly string[], rights: readonly string[]): string[] {
  if (lefts.length * rights.length > MAX_READINGS) return [SPLIT];

  return lefts.flatMap((left) => rights.map((right) => left + right));
}

function ofBraces(text: string): string[] {
  const inner = /^\{([^{}"'$`\\]*)\}$/.exec(text)?.[1];
  if (inner === undefined) return [SPLIT];
  if (inner.includes(",")) {
    const all = inner.split(",").map(globbed);

    return all.length > MAX_READINGS ? [SPLIT] : all;
  }

  return /^-?\d+\.\.-?\d+(?:\.\.-?\d+)?$/.test(inner) ? ["0"] : inner.includes("..") ? [ONE] : [text];
}

function ofVariable(name: string, isQuoted: boolean, scope: Scope, depth: number): string[] {
  const unknown = [isQuoted ? UNKNOWN : SPLIT];
  if (NUMBERS.has(name)) return ["0"];
  if (name === "$" || name === "PPID") return [`$${name}`];
  if (secrecyOf(name) === "key") refuse("SECRET_ENVIRONMENT", `It reads the variable ${name}.`);
  if (scope.variables.has(name)) {
    const words = scope.variables.get(name);
    if (words === undefined || depth > MAX_NESTED) return unknown;
    const values = words.flatMap((word) => readingsOf(word, scope, depth + 1));
    if (values.length > MAX_READINGS) return unknown;

    return isQuoted ? values : values.map((value) => (/\s/.test(value) ? SPLIT : globbed(value)));
  }
  if (name === "HOME") return [scope.home];
  if (name === "PWD" && scope.folder !== undefined) return [scope.folder];

  return unknown;
}

function ofPart(part: WordPart, isQuoted: boolean, scope: Scope, depth: number): string[] {
  const unknown = [isQuoted ? UNKNOWN : SPLIT];
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [part.value];
    case "DoubleQuoted":
    case "LocaleString":
      return part.parts.reduce<string[]>((all, each) => combine(all, ofPart(each, true, scope, depth)), [""]);
    case "Glob":
      return [part.kind === "star" ? MANY : ONE];
    case "SimpleExpansion":
      return ofVariable(part.text.slice(1), isQuoted, scope, depth);
    case "ParameterExpansion": {
      const { parameter, prefix, index, operation } = part;
      if (secrecyOf(parameter) === "key") refuse("SECRET_ENVIRONMENT", `It reads the variable ${parameter}.`);
      if (prefix === "#") return ["0"];
      if (prefix !== undefined || index !== undefined) return unknown;
      if (operation?.type === "Transform")
        refuse("CODE_UNSEEN", "A variable's value is run as a prompt or quoted anew.");
      if (operation === undefined) return ofVariable(parameter, isQuoted, scope, depth);

      return unknown;
    }
    case "CommandExpansion": {
      const output = part.script === undefined ? undefined : scope.outputOf(part.script);

      return output === undefined ? unknown : [output];
    }
    case "ArithmeticExpansion":
      return ["0"];
    case "ProcessSubstitution":
      return ["/dev/fd/63"];
    case "ExtendedGlob":
      return [UNKNOWN];
    case "BraceExpansion":
      return ofBraces(part.text);
  }
}

/** Every word that one word may become; marks stand for what is not known. @throws Refused for what runs or shows a secret by being read */
export function readingsOf(word: Word, scope: Scope, depth = 0): string[] {
  const { parts, value, text } = word;
  const readings =
    parts === undefined
      ? [value]
      : parts.reduce<string[]>((all, part) => combine(all, ofPart(part, false, scope, depth)), [""]);
  if (!text.startsWith("~")) return readings;

  return readings.map((reading) =>
    reading === "~" || reading.startsWith("~/")
      ? scope.home + reading.slice(1)
      : // Another's home, or the folder before.
        reading.replace(/^~[^/]*/, () => UNKNOWN),
  );
}

/** Whether the readings of a word are words beside each other, as braces make them, and not one of several. */
export function isList(word: Word): boolean {
  return word.parts?.some(({ type }) => type === "BraceExpansion") === true && !(word.parts ?? []).some(isVariable);
}

function isVariable(part: WordPart): boolean {
  return part.type === "SimpleExpansion" || part.type === "ParameterExpansion" || part.type === "DoubleQuoted";
}

/** An assignment that stands among the words of a command, as the word it also is. */
export function assignedReadings({ name, value, append, index }: Assignment, scope: Scope): string[] {
  if (value.type === "ArrayValue" || index !== undefined) return [`${name}=${UNKNOWN}`];

  return readingsOf(value, scope).map((reading) => `${name}${append === true ? "+" : ""}=${reading}`);
}

/** The text of what is quoted or read in place, or undefined where not all of it is known. */
export function knownText(parts: readonly WordPart[] | undefined, text: string, scope: Scope): string | undefined {
  if (parts === undefined) return text;
  const readings = parts.reduce<string[]>((all, part) => combine(all, ofPart(part, true, scope, 0)), [""]);
  const [only = ""] = readings;

  return readings.length === 1 && isKnown(only) ? only : undefined;
}
