import { type CustomPiiRule, compileCustomRules } from "./rules/custom.ts";
import type { HexKnowledge } from "./rules/hex.ts";
import { findLiterals } from "./rules/literals.ts";
import { findNumbers } from "./rules/numbers.ts";
import { type Emit, PII_RULES, type PiiAction, type PiiFinding, type PiiRuleName } from "./rules/rules.ts";
import { findSeedPhrases } from "./rules/seeds.ts";
import { findTokens } from "./rules/tokens.ts";
import { withoutDisguise, withoutEscapes } from "./undisguise.ts";

export type PiiScannerOptions = {
  /** Actions other than those of the rule table; "off" leaves a rule out. */
  actions?: Partial<Record<PiiRuleName, PiiAction | "off">>;
  /** Rules of the caller, run on RE2. */
  rules?: readonly CustomPiiRule[];
};

export type PiiScanner = {
  /** What the rules find, by place. Takes time linear in the text. */
  scan(text: string, knowledge?: HexKnowledge): PiiFinding[];
  /** The word in the placeholders of a rule. */
  labelOf(rule: string): string;
};

const NOTHING_KNOWN: HexKnowledge = { ownAddresses: new Set(), knownHashes: new Set() };

/**
 * Makes a scanner.
 * @throws PiiRuleError when a rule of the caller does not compile.
 */
export function createPiiScanner({ actions = {}, rules = [] }: PiiScannerOptions = {}): PiiScanner {
  const findCustom = compileCustomRules(rules);
  const labels = new Map<string, string>(Object.entries(PII_RULES).map(([name, { label }]) => [name, label]));
  for (const { name, label = name } of rules) labels.set(name, label);

  function findBuiltIn(text: string, knowledge: HexKnowledge): PiiFinding[] {
    const findings: PiiFinding[] = [];
    const emit: Emit = (rule, start, end) => {
      const action = actions[rule] ?? PII_RULES[rule].action;
      if (action !== "off") findings.push({ rule, action, start, end });
    };
    findTokens(text, emit, knowledge);
    findSeedPhrases(text, emit);
    findNumbers(text, emit);
    findLiterals(text, emit);

    return findings;
  }

  return {
    scan(text, knowledge = NOTHING_KNOWN) {
      const findings = findBuiltIn(text, knowledge);
      for (const finding of findCustom(text)) findings.push(finding);
      const plain = withoutDisguise(text);
      if (plain !== undefined) {
        for (const { rule, action, start, end } of findBuiltIn(plain.text, knowledge)) {
          findings.push({ rule, action, start: plain.offsetOf(start), end: plain.offsetOf(end - 1) + 1 });
        }
      }
      const shown = plain?.text ?? text;
      const unescaped = withoutEscapes(shown);
      if (unescaped !== undefined) {
        for (const { rule, action, start, end } of findBuiltIn(unescaped.text, knowledge)) {
          if (action !== "block") continue;
          const from = unescaped.offsetOf(start);
          const to = unescaped.offsetOf(end);
          // Hex that no escape and no line break is in or right before was judged above, with what stands around it.
          const isUntouched = to - unescaped.offsetOf(Math.max(0, start - 1)) === end - Math.max(0, start - 1);
          if (rule === "PRIVATE_KEY" && isUntouched) continue;
          const original = (offset: number) => plain?.offsetOf(offset) ?? offset;
          findings.push({ rule, action, start: original(from), end: original(to - 1) + 1 });
        }
      }

      return withoutRepeats(findings);
    },
    labelOf: (rule) => labels.get(rule) ?? "VALUE",
  };
}

/** By place; of findings within others of the same or a graver action, only the others. */
function withoutRepeats(findings: PiiFinding[]): PiiFinding[] {
  findings.sort((a, b) => a.start - b.start || b.end - a.end || severity(b.action) - severity(a.action));
  let blocked = 0;
  let masked = 0;
  let warned = 0;

  return findings.filter(({ action, end }) => {
    if (action === "block") {
      if (end <= blocked) return false;
      blocked = end;
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
