import type { Violation } from "./types.ts";

/** A policy that no cage accepts. `violations` lists every failing constraint. */
export class PolicyError extends Error {
  override readonly name = "PolicyError";
  readonly code = "POLICY_INVALID";
  readonly violations: readonly Violation[];

  constructor(violations: readonly Violation[]) {
    const lines = violations.map(({ constraint, value, allowed }) => `  ${constraint}: ${value}; allowed: ${allowed}`);
    super(["The policy breaks these constraints:", ...lines].join("\n"));
    this.violations = violations;
  }
}
