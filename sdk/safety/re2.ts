import type RE2 from "re2";
import { requireOptional } from "../models/optional.ts";

let loaded: typeof RE2 | undefined;

/**
 * Expressions that take time linear in the text: a native library, loaded when a text is first looked at.
 * @throws OptionalPackageError
 */
export function linearExpressions(): typeof RE2 {
  loaded ??= requireOptional("re2", "policycage/safety") as typeof RE2;

  return loaded;
}
