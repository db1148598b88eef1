// Texts made to be slow for one expression: its own parts, repeated.

type Node =
  | { kind: "one"; source: string }
  | { kind: "empty" }
  | { kind: "sequence"; parts: Node[] }
  | { kind: "choice"; options: Node[] }
  | { kind: "repeat"; part: Node; min: number; max: number };

/** Of what the characters of an expression are tried with. */
const CANDIDATES = [..."a0 A-._=\n\t\"'x1/\\:;,!?@#$%&*+()[]{}<>|~^`Zeé中ｆ\u00a0\u200b\u{1f600}", "\r", "\0"];
const MOST_SAMPLES = 4;

/** What is pumped: `before`, then `pump` as often as there is room, then `after`. */
export type Attack = { before: string; pump: string; after: string };

/** Texts of about `length` units that make an expression work. */
export function textOf({ before, pump, after }: Attack, length: number): string {
  return before + pump.repeat(Math.max(1, Math.floor((length - before.length - after.length) / pump.length))) + after;
}

/** What to pump of an expression: each part that repeats, after what leads to it, and the whole of what leads to it again and again. */
export function attacksOn(source: string, flags: string): Attack[] {
  const attacks = new Map<string, Attack>();
  const add = (before: string, pump: string) => {
    if (pump === "") return;
    for (const after of ["", "\0", "\n!", "a"]) attacks.set(`${before}\0${pump}\0${after}`, { before, pump, after });
  };
  const visit = (node: Node, before: string): string => {
    switch (node.kind) {
      case "empty":
        return "";
      case "one":
        return samplesOf(node, flags)[0] ?? "";
      case "sequence":
        return node.parts.reduce((text, part) => text + visit(part, before + text), "");
      case "choice":
        return node.options.map((option) => visit(option, before))[0] ?? "";
      case "repeat": {
        const inner = visit(node.part, before);
        if (node.max >= 8) {
          const samples = node.part.kind === "one" ? samplesOf(node.part, flags) : variantsOf(node.part, flags);
          for (const sample of samples) {
            add("", sample);
            add(before, sample);
            add("", before + sample);
          }
          add(before, samples.join(""));
        }

        return inner.repeat(Math.min(node.min, 64));
      }
    }
  };
  const whole = visit(parse(source, flags), "");
  add("", whole);

  return [...attacks.values()];
}

function variantsOf(node: Node, flags: string): string[] {
  if (node.kind === "one") return samplesOf(node, flags);
  if (node.kind === "choice") return node.options.flatMap((option) => variantsOf(option, flags)).slice(0, MOST_SAMPLES);
  if (node.kind === "empty") return [""];
  if (node.kind === "repeat") {
    const inner = variantsOf(node.part, flags);

    return inner.map((text) => text.repeat(Math.max(1, Math.min(node.min, 64))));
  }
  const parts = node.parts.map((part) => variantsOf(part, flags));

  return Array.from({ length: MOST_SAMPLES }, (_, at) => parts.map((texts) => texts[at % texts.length] ?? "").join(""));
}

const known = new Map<string, string[]>();

function samplesOf({ source }: Extract<Node, { kind: "one" }>, flags: string): string[] {
  const key = `${flags} ${source}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const expression = new RegExp(`^(?:${source})$`, flags.replace(/[gy]/g, ""));
  const samples = CANDIDATES.filter((candidate) => expression.test(candidate)).slice(0, MOST_SAMPLES);
  // A letter of its own, or a class of other scripts.
  if (samples.length === 0) {
    for (let codePoint = 0x21; codePoint < 0x30000 && samples.length === 0; codePoint += 1) {
      const character = String.fromCodePoint(codePoint);
      if (expression.test(character)) samples.push(character);
    }
  }
  known.set(key, samples);

  return samples;
}

function parse(source: string, flags: string): Node {
  let at = 0;
  const isUnicode = /[uv]/.test(flags);

  const choice = (): Node => {
    const options = [sequence()];
    while (source[at] === "|") {
      at += 1;
      options.push(sequence());
    }

    return options.length === 1 && options[0] !== undefined ? options[0] : { kind: "choice", options };
  };

  const sequence = (): Node => {
    const parts: Node[] = [];
    while (at < source.length && source[at] !== "|" && source[at] !== ")") parts.push(repeated(atom()));

    return { kind: "sequence", parts };
  };

  const repeated = (part: Node): Node => {
    const found = /[*+?]|\{(\d+)(,?)(\d*)\}/y;
    found.lastIndex = at;
    const match = found.exec(source);
    if (match === null) return part;
    at = found.lastIndex;
    if (source[at] === "?") at += 1;
    const [sign, low, comma, high] = match;
    if (sign === "*") return { kind: "repeat", part, min: 0, max: Number.POSITIVE_INFINITY };
    if (sign === "+") return { kind: "repeat", part, min: 1, max: Number.POSITIVE_INFINITY };
    if (sign === "?") return { kind: "repeat", part, min: 0, max: 1 };
    const min = Number(low);
    const max = comma === "" ? min : high === "" ? Number.POSITIVE_INFINITY : Number(high);

    return { kind: "repeat", part, min, max };
  };

  const atom = (): Node => {
    const character = source.charAt(at);
    if (character === "(") {
      const open = /\((?:\?(?:[:=!]|<[=!]|<\w+>|[a-z-]+:))?/y;
      open.lastIndex = at;
      const [start = "("] = open.exec(source) ?? [];
      at += start.length;
      const inner = choice();
      at += 1;

      // What must not stand there is no part of a text that matches.
      return /^\(\?<?[!=]/.test(start) ? { kind: "choice", options: [{ kind: "empty" }, inner] } : inner;
    }
    if (character === "^" || character === "$") {
      at += 1;

      return { kind: "empty" };
    }
    const start = at;
    if (character === "[") skipClass();
    else if (character === "\\") skipEscape();
    else at += isUnicode && (source.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
    const one = source.slice(start, at);

    return one === "\\b" || one === "\\B" ? { kind: "empty" } : { kind: "one", source: one };
  };

  const skipClass = () => {
    let depth = 0;
    do {
      if (source[at] === "\\") at += 1;
      else if (source[at] === "[" && (depth === 0 || flags.includes("v"))) depth += 1;
      else if (source[at] === "]") depth -= 1;
      at += 1;
    } while (depth > 0 && at < source.length);
  };

  const skipEscape = () => {
    const sign = /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|k<\w+>|[\s\S])/y;
    sign.lastIndex = at;
    at += sign.exec(source)?.[0].length ?? 1;
  };

  return choice();
}
