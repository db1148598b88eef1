import { hasInvisible } from "../../text/invisible.ts";
import { type MappedText, through, unchanged } from "../../text/mapped.ts";
import { requireText } from "../../text/text.ts";
import { hasEscapedCharacters } from "../../text/views/escapes.ts";
import { surfaceOf } from "../../text/views/views.ts";
import type { Channel } from "../injection/classifier/classifier.ts";
import { type HexJudge, type HexKnowledge, judgeOf } from "./rules/chain/hex.ts";
import { type CustomPiiRule, compileCustomRules } from "./rules/custom.ts";
import { findLiterals } from "./rules/literals.ts";
import { findNumbers } from "./rules/numbers.ts";
import { type Emit, PII_RULES, type PiiAction, type PiiFinding, type PiiRuleName } from "./rules/rules.ts";
import { findSeedPhrases } from "./rules/seeds.ts";
import { findSpelledKeys } from "./rules/spelled.ts";
import { findTokens } from "./rules/tokens.ts";
import { withJoinedKeys } from "./wrapped.ts";

export type PiiScannerOptions = {
  /** Actions other than those of the rule table; "off" leaves a rule out. */
  actions?: Partial<Record<PiiRuleName, PiiAction | "off">>;
  /** Rules of the caller, run on RE2. */
  rules?: readonly CustomPiiRule[];
};

export type PiiScanner = {
  /**
   * What the rules find in any reading of the text, by place. Takes time linear in the text.
   * @param channel where the text comes from: 32 bytes without a name are a key in a user's text, and hidden in others. Default "user".
   * @throws NotTextError
   */
  scan(text: string, knowledge?: HexKnowledge, channel?: Channel): PiiFinding[];
  /** The word in the placeholders of a rule. */
  labelOf(rule: string): string;
};

/** What each scanner of this package was made from, so that another thread can make the same one. */
const MADE_FROM = new WeakMap<PiiScanner, PiiScannerOptions>();

/** What makes the scanner anew; undefined for one of the caller's own, which stays in the caller's thread. */
export function optionsOf(scanner: PiiScanner): PiiScannerOptions | undefined {
  return MADE_FROM.get(scanner);
}

const NOTHING_KNOWN: HexKnowledge = {
  ownAddresses: new Set(),
  knownHashes: new Set(),
  heldWords: new Set(),
  heldAddresses: new Set(),
};

/**
 * Makes a scanner.
 * @throws PiiRuleError when a rule of the caller does not compile.
 */
export function createPiiScanner(options: PiiScannerOptions = {}): PiiScanner {
  // A copy: what the caller changes later changes no scanner, here or in a thread.
  const made = structuredClone(options);
  const { actions = {}, rules = [] } = made;
  const findCustom = compileCustomRules(rules);
  const labels = new Map<string, string>(Object.entries(PII_RULES).map(([name, { label }]) => [name, label]));
  for (const { name, label = name } of rules) labels.set(name, label);

  function findBuiltIn(text: string, judge: HexJudge): PiiFinding[] {
    const findings: PiiFinding[] = [];
    const emit: Emit = (rule, start, end) => {
      const action = actions[rule] ?? PII_RULES[rule].action;
      if (action !== "off") findings.push({ rule, action, start, end });
    };
    findTokens(text, emit, judge);
    findSpelledKeys(text, emit, judge);
    findSeedPhrases(text, emit);
    findNumbers(text, emit);
    findLiterals(text, emit);

    return findings;
  }

  function findAll(text: string, judge: HexJudge): PiiFinding[] {
    const findings = findBuiltIn(text, judge);
    for (const finding of findCustom(text)) findings.push(finding);

    return findings;
  }

  const scanner: PiiScanner = {
    scan(text, knowledge = NOTHING_KNOWN, channel = "user") {
      const judge = judgeOf(knowledge, channel === "tool" || channel === "document");
      const findings = findAll(requireText(text), judge);
      for (const view of readingsOf(text)) {
        for (const finding of findAll(view.text, judge)) {
          if (isJudgedBefore(finding, view, text)) continue;
          findings.push({ ...finding, ...view.source(finding.start, finding.end) });
        }
      }

      return withoutRepeats(findings);
    },
    labelOf: (rule) => labels.get(rule) ?? "VALUE",
  };
  MADE_FROM.set(scanner, made);

  return scanner;
}

/** The readings of a text but the text itself: its surface, and the last of it with wrapped keys joined. */
function* readingsOf(text: string): Generator<MappedText & { name: string }> {
  let last: MappedText = unchanged(text);
  const views = surfaceOf(text);
  const isFolded = views.some(({ name }) => name === "folded");
  for (const view of views) {
    const isKnown =
      view.name === "raw" ||
      // What is folded has the plain forms of all characters, too; what is seen keeps the accents of some lists of words.
      (view.name === "seen" && isFolded && !hasInvisible(text)) ||
      // Rules know the escapes of line ends, tabs and quotes.
      (view.name === "unescaped" && !hasEscapedCharacters(last.text));
    if (!isKnown) yield view;
    if (view.name !== "unmarked") last = view;
  }
  const joined = withJoinedKeys(last.text);
  if (joined !== undefined) yield { ...through(last, joined), name: "joined" };
}

/** Whether a key stands in the text as it does in a reading without escapes: it was judged there, with what stands around it. */
function isJudgedBefore(
  { rule, start, end }: PiiFinding,
  { name, text, source }: MappedText & { name: string },
  raw: string,
) {
  if ((rule !== "PRIVATE_KEY" && rule !== "UNNAMED_HEX") || !RESOLVED.has(name)) return false;
  const from = Math.max(0, start - 1);
  const place = source(from, end);

  return raw.slice(place.start, place.end) === text.slice(from, end);
}

/** Readings in which what stands around a value is another text. */
const RESOLVED: ReadonlySet<string> = new Set(["unescaped", "unmarked", "undirected", "joined"]);

/** By place; of findings within others of the same or a graver action, only the others, but for what is put back in fewest places. */
function withoutRepeats(findings: PiiFinding[]): PiiFinding[] {
  findings.sort((a, b) => a.start - b.start || b.end - a.end || severity(b.action) - severity(a.action));
  let blocked = 0;
  let masked = 0;
  let hidden = 0;
  let warned = 0;

  return findings.filter(({ rule, action, end }) => {
    if (action === "block") {
      if (end <= blocked) return false;
      blocked = end;
    } else if (rule === "UNNAMED_HEX") {
      if (end <= Math.max(blocked, hidden)) return false;
      hidden = end;
      masked = Math.max(masked, end);
    } else if (action === "mask") {
      if (end <= Math.max(blocked, masked)) return false;
      masked = end;
    } else {
      if (end <= Math.max(blocked, masked, warned)) return false;
      warned = end;
    }

    return true;
  });
}

function severity(action: PiiAction): number {
  return action === "block" ? 2 : action === "mask" ? 1 : 0;
}
