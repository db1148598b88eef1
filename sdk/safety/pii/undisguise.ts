/** Characters that show nothing: soft hyphen, zero-width and bidirectional marks, invisible operators, variation selectors, tags. */
const INVISIBLE =
  /[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|\u034f|[\ufe00-\ufe0f]|\u{e0001}|[\u{e0020}-\u{e007f}]|[\u{e0100}-\u{e01ef}]/u;
/** Fullwidth forms of the ASCII characters. */
const FULLWIDTH = /[\uff01-\uff5e]/;
const DISGUISED = new RegExp(`${INVISIBLE.source}|${FULLWIDTH.source}`, "gu");

export type Undisguised = {
  text: string;
  /** The offset in the original of the character at an offset of the plain text. */
  offsetOf(offset: number): number;
};

/** The text without invisible characters and with plain ASCII for fullwidth forms; undefined where that changes nothing. */
export function withoutDisguise(text: string): Undisguised | undefined {
  if (!INVISIBLE.test(text) && !FULLWIDTH.test(text)) return undefined;

  let plain = "";
  let last = 0;
  // Where each removal happened in the plain text, and how much longer the original is from there on.
  const at: number[] = [0];
  const shift: number[] = [0];
  for (const { index, 0: found } of text.matchAll(DISGUISED)) {
    plain += text.slice(last, index);
    last = index + found.length;
    if (FULLWIDTH.test(found)) {
      plain += String.fromCharCode(found.charCodeAt(0) - 0xfee0);
      continue;
    }
    at.push(plain.length);
    shift.push((shift.at(-1) ?? 0) + found.length);
  }
  plain += text.slice(last);

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
