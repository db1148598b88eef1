import type { InjectionDetector } from "../safety/injection/detect.ts";
import type { InjectionScreen } from "./ports.ts";

/** Screens entries with the safety layer's detector, as documents from outside. */
export function injectionScreen(detector: Pick<InjectionDetector, "check">): InjectionScreen {
  return {
    async screen(text) {
      const verdict = await detector.check(text, "document");
      if (verdict.kind === "clean") return { outcome: "clean" };
      if (verdict.kind === "refused") return { outcome: "unscreened", reason: verdict.code };

      const reason =
        verdict.patterns.length > 0
          ? verdict.patterns.join(", ")
          : `${verdict.classifier}: ${verdict.score.toFixed(2)}`;
      return { outcome: verdict.kind === "block" ? "blocked" : "flagged", reason };
    },
  };
}
