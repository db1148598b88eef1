import { PolicyCageError } from "../../../../../sdk/core/errors.ts";

/** With which code something is refused; what is not refused, or fails otherwise, is a failure of the test. */
export async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (error instanceof PolicyCageError) return error.code;
    throw error;
  }
  throw new Error("It was not refused.");
}
