import { fold } from "../../text/fold.ts";
import { withoutInvisible } from "../../text/invisible.ts";
import { requireText } from "../../text/text.ts";

/** Markers with which prompts are put together, closing ones included. A tag that is never closed counts. */
const BOUNDARIES =
  /<[ \t]{0,3}\/?[ \t]{0,3}(?:system|prompt)(?![\w-])(?:[^<>\n]{0,200}>)?|\[[ \t]{0,3}\/?[ \t]{0,3}(?:INST|SYSTEM)[ \t]{0,3}\]|<<[ \t]{0,3}\/?[ \t]{0,3}SYS[ \t]{0,3}>>/gi;

/**
 * Strips what could end or begin a section of a prompt: `<system>`, `<prompt>`, `[INST]`, `<<SYS>>`, each also closing, in any letters
 * that look like these, and what is invisible, NUL, zero-width spaces and joiners, and byte order marks among it (automaton document,
 * `escapePromptBoundaries`). A marker leaves the word `removed` in round brackets, so that its parts cannot become another.
 * @throws NotTextError
 */
export function escapePromptBoundaries(text: string): string {
  const visible = withoutInvisible(requireText(text));
  const folded = fold(visible);
  const parts: string[] = [];
  let last = 0;
  for (const { index, 0: marker } of folded.text.matchAll(BOUNDARIES)) {
    const { start, end } = folded.source(index, index + marker.length);
    parts.push(visible.slice(last, start), "(removed)");
    last = Math.max(last, end);
  }
  parts.push(visible.slice(last));

  return parts.join("");
}
