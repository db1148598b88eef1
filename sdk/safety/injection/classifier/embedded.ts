import type { InjectionClassifier } from "./classifier.ts";
import { createGuardClassifier } from "./guard/guard.ts";
import { createLiteClassifier } from "./lite/lite.ts";

/** The classifiers of `policycage-models`: the guard, which asks the small one first, and the small one (3.3 MB) alone. */
export const EMBEDDED_CLASSIFIERS = ["guard", "lite"] as const;

export type EmbeddedClassifier = (typeof EMBEDDED_CLASSIFIERS)[number];

/** A classifier by its name in a configuration. A guard whose files are missing refuses: only `lite`, said so, does without them. */
export function createClassifier(name: EmbeddedClassifier = "guard"): InjectionClassifier {
  return name === "lite" ? createLiteClassifier() : createGuardClassifier();
}
