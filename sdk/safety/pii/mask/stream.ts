import { requireText } from "../../../text/text.ts";
import { replacePlaceholders, startOfUnfinished } from "./placeholder.ts";

/**
 * Puts values back into a text that comes in pieces, cut anywhere. Holds back only what may be the beginning of a placeholder, at most
 * 39 characters; all pieces given out, one after the other, are the restored whole.
 */
export class RestoreStream {
  readonly #lookUp: (placeholder: string) => string | undefined;
  readonly #unknown = new Set<string>();
  #held = "";

  constructor(lookUp: (placeholder: string) => string | undefined) {
    this.#lookUp = lookUp;
  }

  /** Placeholders seen so far that the session never gave out, up to a thousand. */
  get unknown(): readonly string[] {
    return [...this.#unknown];
  }

  /** Takes the next piece and answers what is certain by now. @throws NotTextError */
  push(piece: string): string {
    const text = this.#held + requireText(piece);
    const certain = startOfUnfinished(text);
    this.#held = text.slice(certain);

    return this.#restore(text.slice(0, certain));
  }

  /** Answers what was held back: no more pieces come. */
  end(): string {
    const rest = this.#held;
    this.#held = "";

    return this.#restore(rest);
  }

  #restore(text: string): string {
    return replacePlaceholders(text, this.#lookUp, this.#unknown);
  }
}
