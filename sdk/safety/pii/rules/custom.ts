import { PolicyCageError } from "../../../core/errors.ts";
import { linearExpressions } from "../../re2.ts";
import type { PiiAction, PiiFinding } from "./rules.ts";

/**
 * A rule of the caller. The pattern is one of RE2, without look-around and back references, and so takes time linear in the text
 * whatever it is.
 */
export type CustomPiiRule = {
  name: string;
  pattern: string;
  action: PiiAction;
  /** The word in its placeholders, in capitals. The name when left out. */
  label?: string;
};

/** A rule of the caller that cannot be used. */
export class PiiRuleError extends PolicyCageError {
  override readonly name = "PiiRuleError";

  constructor(message: string, options?: ErrorOptions) {
    super(message, {
      ...options,
      code: "BAD_PII_RULE",
      advice: "Write its pattern in the syntax of RE2, and its label in capitals.",
    });
  }
}

/**
 * Compiles the caller's rules to one automaton, which says which of them match at all, and one expression each.
 * @throws PiiRuleError; OptionalPackageError where there are rules and no RE2
 */
export function compileCustomRules(rules: readonly CustomPiiRule[]): (text: string) => PiiFinding[] {
  if (rules.length === 0) return () => [];
  for (const { name, label = name } of rules) {
    if (!/^[A-Z][A-Z0-9_]{0,23}$/.test(label)) {
      throw new PiiRuleError(
        `The label of rule ${JSON.stringify(name)} must be up to 24 capitals, digits and underscores.`,
      );
    }
  }
  const RE2 = linearExpressions();
  const expressions = rules.map(({ name, pattern }) => {
    try {
      return new RE2(pattern, "gu");
    } catch (cause) {
      throw new PiiRuleError(`The pattern of rule ${JSON.stringify(name)} is not one RE2 can compile.`, { cause });
    }
  });
  const set = new RE2.Set(rules.map(({ pattern }) => pattern));

  return (text) => {
    const findings: PiiFinding[] = [];
    for (const index of set.match(text)) {
      const rule = rules[index];
      // One replacement converts the text once; stepping from match to match would do so for each.
      expressions[index]?.replace(text, (match: string, ...groups: unknown[]) => {
        const start = groups.find((group) => typeof group === "number");
        if (rule !== undefined && typeof start === "number" && match !== "") {
          findings.push({ rule: rule.name, action: rule.action, start, end: start + match.length });
        }

        return "";
      });
    }

    return findings;
  };
}
