/** Characters that show nothing: soft hyphen, zero-width and bidirectional marks, invisible operators, variation selectors, tags. */
const INVISIBLE =
  /[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|\u034f|[\ufe00-\ufe0f]|\u{e0001}|[\u{e0020}-\u{e007f}]|[\u{e0100}-\u{e01ef}]/u;
const INVISIBLES = new RegExp(INVISIBLE.source, "gu");
/** Fullwidth forms of the ASCII characters. */
const FULLWIDTH = /[\uff01-\uff5e]+/;
const FULLWIDTHS = new RegExp(FULLWIDTH.source, "g");

export type Undisguised = {
  text: string;
  /** The offset in the original of the character at an offset of the plain text. */
  offsetOf(offset: number): number;
};

/** The text without invisible characters and with plain ASCII for fullwidth forms; undefined where that changes nothing. */
export function withoutDisguise(text: string): Undisguised | undefined {
  const isFullwidth = FULLWIDTH.test(text);
  if (!isFullwidth && !INVISIBLE.test(text)) return undefined;

  // As long as before: only what follows moves offsets.
  const halfwidth = isFullwidth ? text.replace(FULLWIDTHS, toAscii) : text;
  const parts: string[] = [];
  let last = 0;
  let length = 0;
  // Where each removal happened in the plain text, and how much longer the original is from there on.
  const at: number[] = [0];
  const shift: number[] = [0];
  for (const { index, 0: found } of halfwidth.matchAll(INVISIBLES)) {
    parts.push(halfwidth.slice(last, index));
    length += index - last;
    last = index + found.length;
    at.push(length);
    shift.push(last - length);
  }
  parts.push(halfwidth.slice(last));
  const plain = parts.join("");

  return {
    text: plain,
    offsetOf(offset) {
      let low = 0;
      let high = at.length;
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if ((at[middle] ?? 0) <= offset) low = middle;
        else high = middle;
      }
      return offset + (shift[low] ?? 0);
    },
  };
}

function toAscii(run: string): string {
  let ascii = "";
  for (let index = 0; index < run.length; index += 1) ascii += String.fromCharCode(run.charCodeAt(index) - 0xfee0);

  return ascii;
}
