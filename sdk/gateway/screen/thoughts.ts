const OPEN = "<think>";
const CLOSE = "</think>";

/**
 * Takes out of a text, which may come in pieces cut anywhere, what stands between `<think>` and `</think>`. Models that begin in the middle
 * of their thoughts write the second tag alone: what stands before it is a thought as well.
 */
export class ThoughtReader {
  #held = "";
  #isInside = false;
  #before = "";
  #hasTag = false;

  /** What the piece adds to the thoughts. */
  push(piece: string): string {
    let text = this.#held + piece;
    let thought = "";
    for (;;) {
      const tag = this.#isInside ? CLOSE : OPEN;
      const lone = this.#hasTag ? -1 : text.indexOf(CLOSE);
      const at = text.indexOf(tag);
      if (!this.#isInside && lone >= 0 && (at < 0 || lone < at)) {
        thought += this.#before + text.slice(0, lone);
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
    else if (!this.#hasTag) this.#before += certain;

    return thought;
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
