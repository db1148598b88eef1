import { PolicyCageError } from "../../core/errors.ts";
import type { Violation } from "./types.ts";

/** A policy that no cage accepts. `violations` lists every failing constraint. */
export class PolicyError extends PolicyCageError {
  override readonly name = "PolicyError";
  readonly violations: readonly Violation[];

  constructor(violations: readonly Violation[]) {
    const lines = violations.map(({ constraint, value, allowed }) => `  ${constraint}: ${value}; allowed: ${allowed}`);
    super(["The policy breaks these constraints:", ...lines].join("\n"), {
      code: "POLICY_INVALID",
      advice: "Change each of these values to one that is allowed.",
    });
    this.violations = violations;
  }
}
