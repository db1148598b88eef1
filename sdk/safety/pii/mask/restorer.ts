import { forEachPlaceholder } from "./placeholder.ts";

/** What becomes of something that has the form of a placeholder. */
type Decision = { kind: "value"; value: string } | { kind: "unknown" } | { kind: "text" };

export type Decide = (found: string, isTagged: boolean) => Decision;

/** Different placeholders that are kept for a report: a model may make up any number. */
const MOST_REPORTED = 1000;

/** Puts values back into a text, or into one that comes in pieces, and keeps what is to be told of. */
export class Restorer {
  readonly #decide: Decide;
  readonly #unknown = new Set<string>();

  constructor(decide: Decide) {
    this.#decide = decide;
  }

  get unknown(): readonly string[] {
    return [...this.#unknown];
  }

  /** The text with the values of its placeholders. */
  restore(text: string): string {
    const parts: string[] = [];
    let last = 0;
    forEachPlaceholder(text, (start, end, isTagged) => {
      const found = text.slice(start, end);
      const decision = this.#decide(found, isTagged);
      if (decision.kind === "value") {
        parts.push(text.slice(last, start), decision.value);
        last = end;
      } else if (decision.kind === "unknown" && this.#unknown.size < MOST_REPORTED) {
        this.#unknown.add(found);
      }
    });
    if (last === 0) return text;
    parts.push(text.slice(last));

    return parts.join("");
  }
}
