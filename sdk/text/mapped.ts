/** Half-open range of UTF-16 units. */
export type Span = {
  readonly start: number;
  readonly end: number;
};

/** A text made from another one, that knows for each of its UTF-16 units where it came from. */
export type MappedText = {
  readonly text: string;
  /** The range of the original text that [start, end) of this text was made from. */
  source(start: number, end: number): Span;
};

/** The text itself, as its own origin. */
export function unchanged(text: string): MappedText {
  return { text, source: (start, end) => ({ start, end }) };
}

/** Collects the pieces of a derived text together with the range each piece stands for. Linear in what is written. */
export class MappedTextBuilder {
  #parts: string[] = [];
  #length = 0;
  #starts: Int32Array<ArrayBuffer>;
  #ends: Int32Array<ArrayBuffer>;

  /** `expected` units are made room for at once; more may come. */
  constructor(expected: number) {
    this.#starts = new Int32Array(expected + 16);
    this.#ends = new Int32Array(expected + 16);
  }

  /** Appends `piece`, which stands for [start, end) of the original; a piece of the same length as its range maps unit by unit. */
  push(piece: string, start: number, end: number): void {
    this.#reserve(piece.length);
    const isUnitwise = piece.length === end - start;
    for (let i = 0; i < piece.length; i += 1) {
      this.#starts[this.#length + i] = isUnitwise ? start + i : start;
      this.#ends[this.#length + i] = isUnitwise ? start + i + 1 : end;
    }
    this.#parts.push(piece);
    this.#length += piece.length;
  }

  build(): MappedText {
    const starts = this.#starts;
    const ends = this.#ends;
    const length = this.#length;

    return {
      text: this.#parts.join(""),
      source: (start, end) => {
        if (length === 0) return { start: 0, end: 0 };
        const first = starts[Math.min(start, length - 1)] ?? 0;
        const last = ends[Math.min(Math.max(end, start + 1), length) - 1] ?? 0;

        return { start: Math.min(first, last), end: Math.max(first, last) };
      },
    };
  }

  #reserve(extra: number): void {
    const needed = this.#length + extra;
    if (needed <= this.#starts.length) return;
    const size = Math.max(needed, this.#starts.length * 2);
    this.#starts = grow(this.#starts, size);
    this.#ends = grow(this.#ends, size);
  }
}

/** `outer` was derived from the text of `inner`: the same text, mapped through to the origin of `inner`. */
export function through(inner: MappedText, outer: MappedText): MappedText {
  return {
    text: outer.text,
    source: (start, end) => {
      const middle = outer.source(start, end);

      return inner.source(middle.start, middle.end);
    },
  };
}

function grow(values: Int32Array<ArrayBuffer>, size: number): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(size);
  grown.set(values);

  return grown;
}
