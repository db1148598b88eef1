export type ErrorDetails = {
  /** Stable, for programs: the name of a Solidity error, or words in capitals. */
  code: string;
  /** What to do about it, in one sentence. */
  advice: string;
  cause?: unknown;
};

/** What every error of this package is: a code that programs compare, a message for people, and what to do about it. */
export abstract class PolicyCageError extends Error {
  readonly code: string;
  readonly advice: string;

  constructor(message: string, { code, advice, cause }: ErrorDetails) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.advice = advice;
  }
}
