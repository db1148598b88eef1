const INVISIBLE = /[\0\u200b-\u200d\u2060\ufeff]/g;

/** Markers with which prompts are put together, closing ones included. A tag that is never closed counts. */
const BOUNDARIES =
  /<[ \t]{0,3}\/?[ \t]{0,3}(?:system|prompt)(?![\w-])(?:[^<>\n]{0,200}>)?|\[[ \t]{0,3}\/?[ \t]{0,3}(?:INST|SYSTEM)[ \t]{0,3}\]|<<[ \t]{0,3}\/?[ \t]{0,3}SYS[ \t]{0,3}>>/gi;

/**
 * Strips what could end or begin a section of a prompt: `<system>`, `<prompt>`, `[INST]`, `<<SYS>>`, each also closing, NUL, zero-width
 * spaces and joiners, and byte order marks (automaton document, `escapePromptBoundaries`). A marker leaves the word `removed` in round
 * brackets, so that its parts cannot become another.
 */
export function escapePromptBoundaries(text: string): string {
  return text.replace(INVISIBLE, "").replace(BOUNDARIES, "(removed)");
}
