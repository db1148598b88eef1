/** Tokens of a DeBERTa-v3 classifier's input, special tokens included. */
export const MAX_TOKENS = 512;
/** Tokens that neighbouring windows share, so that no attack is cut in two everywhere. */
export const OVERLAP = 128;

/** Windows over token ids without special tokens, each framed by `first` and `last` ([CLS] and [SEP]). */
export function frameWindows(ids: readonly number[], first: number, last: number): readonly (readonly number[])[] {
  const room = MAX_TOKENS - 2;
  const windows: (readonly number[])[] = [];
  for (let start = 0; ; start += room - OVERLAP) {
    windows.push([first, ...ids.slice(start, start + room), last]);
    if (start + room >= ids.length) return windows;
  }
}
