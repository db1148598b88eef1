import { requireText } from "../../../text/text.ts";
import { startOfUnfinished } from "./placeholder.ts";
import type { Restorer } from "./restorer.ts";

/**
 * Puts values back into a text that comes in pieces, cut anywhere. Holds back only what may be the beginning of a placeholder, at most
 * 44 characters; all pieces given out, one after the other, are the restored whole.
 */
export class RestoreStream {
  readonly #restorer: Restorer;
  #held = "";

  constructor(restorer: Restorer) {
    this.#restorer = restorer;
  }

  /** Placeholders seen so far that the session never gave out, up to a thousand. */
  get unknown(): readonly string[] {
    return this.#restorer.unknown;
  }

  /** Placeholders seen so far that are the session's and stay as they are: see `Restored`. */
  get withheld(): readonly string[] {
    return this.#restorer.withheld;
  }

  /** Takes the next piece and answers what is certain by now. @throws NotTextError */
  push(piece: string): string {
    const text = this.#held + requireText(piece);
    const certain = startOfUnfinished(text);
    this.#held = text.slice(certain);

    return this.#restorer.restore(text.slice(0, certain));
  }

  /** Answers what was held back: no more pieces come. */
  end(): string {
    const rest = this.#held;
    this.#held = "";

    return this.#restorer.restore(rest);
  }
}
