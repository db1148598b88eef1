import { type MappedText, MappedTextBuilder, unchanged } from "../mapped.ts";

/** Comments and tags of HTML, and marks of Markdown between letters. A tag that is never closed is none. */
const MARKUP =
  /<!--[^>]{0,200}-->|<\/?([a-zA-Z][a-zA-Z0-9]{0,15})(?:[\s/][^<>]{0,400})?>|(?<=\p{L})(?:\*{1,3}|~~|`{1,3})(?=\p{L})/gu;

/** Tags that stand within a word without ending it. */
const INLINE = new Set(
  "a abbr b bdi bdo big cite code del em font i ins kbd label mark nobr q s samp small span strike strong sub sup tt u var wbr".split(
    " ",
  ),
);

/** The text as a page shows it: tags within words gone, others a space. */
export function withoutMarkup(text: string): MappedText {
  if (!/[<*~`]/.test(text)) return unchanged(text);
  const builder = new MappedTextBuilder();
  let last = 0;
  for (const { 0: whole, 1: tag, index } of text.matchAll(MARKUP)) {
    builder.push(text.slice(last, index), last, index);
    last = index + whole.length;
    if (tag !== undefined && !INLINE.has(tag.toLowerCase())) builder.push(" ", index, last);
  }
  if (last === 0) return unchanged(text);
  builder.push(text.slice(last), last, text.length);

  return builder.build();
}
