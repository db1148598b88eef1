const OPEN = "<think>";
const CLOSE = "</think>";

/** Characters of an answer without tags that are kept in case that they were a thought. */
const MOST_BEFORE = 65_536;

/**
 * Takes out of a text, which may come in pieces cut anywhere, what stands between `<think>` and `</think>`. Models that begin in the middle
 * of their thoughts write the second tag alone: what stands before it is a thought as well, of which only the end is kept.
 */
export class ThoughtReader {
  #held = "";
  #isInside = false;
  #before = "";
  #hasTag = false;
  #hasForgotten = false;

  /** Whether a thought was longer than what is kept of it. */
  isIncomplete = false;

  /**
   * What the piece adds to the thoughts.
   * @param texts how many are read at the same time: they share what is kept
   */
  push(piece: string, texts = 1): string {
    let text = this.#held + piece;
    let thought = "";
    for (;;) {
      const tag = this.#isInside ? CLOSE : OPEN;
      const lone = this.#hasTag ? -1 : text.indexOf(CLOSE);
      const at = text.indexOf(tag);
      if (!this.#isInside && lone >= 0 && (at < 0 || lone < at)) {
        thought += this.#before + text.slice(0, lone);
        this.isIncomplete = this.#hasForgotten;
        text = text.slice(lone + CLOSE.length);
        this.#hasTag = true;
        this.#before = "";
        continue;
      }
      if (at < 0) break;
      if (this.#isInside) thought += text.slice(0, at);
      text = text.slice(at + tag.length);
      this.#isInside = !this.#isInside;
      this.#hasTag = true;
      this.#before = "";
    }
    const held = unfinished(text);
    const certain = text.slice(0, text.length - held);
    this.#held = text.slice(text.length - held);
    if (this.#isInside) thought += certain;
    else if (!this.#hasTag) this.#keep(certain, Math.ceil(MOST_BEFORE / texts));

    return thought;
  }

  #keep(text: string, most: number): void {
    this.#before += text;
    // Twice as much, so that it is not copied with every piece.
    if (this.#before.length < 2 * most) return;
    this.#before = this.#before.slice(-most);
    this.#hasForgotten = true;
  }

  /** What is left of a thought that was not closed. */
  end(): string {
    const rest = this.#isInside ? this.#held : "";
    this.#held = "";

    return rest;
  }
}

/** How many characters at the end may be the beginning of a tag. */
function unfinished(text: string): number {
  for (let length = Math.min(CLOSE.length - 1, text.length); length > 0; length -= 1) {
    const tail = text.slice(-length);
    if (OPEN.startsWith(tail) || CLOSE.startsWith(tail)) return length;
  }

  return 0;
}

/** What a model thinks aloud in a text that is whole. */
export function thoughtsIn(text: string): string[] {
  if (!text.includes("think>")) return [];
  const reader = new ThoughtReader();

  return [reader.push(text) + reader.end()];
}
