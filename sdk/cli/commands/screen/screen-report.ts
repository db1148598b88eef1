import type { PiiFinding } from "../../../safety/pii/rules/rules.ts";
import { type InjectionClassification, rulesWith, type SafetyVerdict } from "../../../safety/pipeline/verdict.ts";

/** The verdict without its session: what a script needs. Holds the masked text where the text may be used, never what was found. */
export function asJson(verdict: SafetyVerdict): string {
  if ("deidentifier" in verdict) {
    const { deidentifier: _, ...rest } = verdict;

    return JSON.stringify(rest, undefined, 2);
  }

  return JSON.stringify(verdict, undefined, 2);
}

/** The verdict for people: a headline, what it rests on with line numbers, and what to do. */
export function asText(verdict: SafetyVerdict, text: string): string {
  switch (verdict.kind) {
    case "clean":
      return [`Clean: ${score(verdict.classification)}.`, ...findingLines(verdict.findings, text)].join("\n");
    case "passWithWarning": {
      const warned = rulesWith("warn", verdict.findings);
      const reasons = [
        ...(verdict.classification.kind === "warn" ? [`possible injection (${score(verdict.classification)})`] : []),
        ...(warned.length > 0 ? [warned.join(", ")] : []),
      ];
      return [`Warning: ${reasons.join("; ")}.`, ...findingLines(verdict.findings, text)].join("\n");
    }
    case "piiBlocked":
      return [
        `Blocked: the text contains ${rulesWith("block", verdict.findings).join(", ")}.`,
        ...findingLines(verdict.findings, text),
      ].join("\n");
    case "injectionBlocked":
      return [
        `Blocked: prompt injection (${score(verdict.classification)}).`,
        ...injectionLines(verdict.classification, text),
        ...findingLines(verdict.findings, text),
      ].join("\n");
    case "refused":
      return `Not screened (${verdict.code}). ${verdict.advice}`;
  }
}

function score({ classifier, score: probability, patterns }: InjectionClassification): string {
  const matched = patterns.length === 0 ? "" : `, patterns ${patterns.join(", ")}`;

  return `injection score ${probability.toFixed(2)} by ${classifier}${matched}`;
}

/** Enough to find them by; a file of nothing but addresses does not flood the terminal. */
const MOST_LINES = 20;

function findingLines(findings: readonly PiiFinding[], text: string): string[] {
  const lines = findings
    .slice(0, MOST_LINES)
    .map(({ rule, action, start }) => `  ${place(text, start)} ${rule} (${action})`);

  return findings.length > MOST_LINES ? [...lines, `  and ${findings.length - MOST_LINES} more`] : lines;
}

function injectionLines({ offsets }: InjectionClassification, text: string): string[] {
  return offsets.slice(0, MOST_LINES).map(({ pattern, view, start }) => `  ${place(text, start)} ${pattern} (${view})`);
}

/** Line and column, both from 1. */
function place(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;

  return `${line}:${offset - before.lastIndexOf("\n")}`;
}
