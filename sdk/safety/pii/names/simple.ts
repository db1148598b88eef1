import type { PiiFinding } from "../rules/rules.ts";

/** How a thread looks for names; `isCancelled` says that nobody waits any more. */
export type FindNames = (text: string, isCancelled: () => boolean) => Promise<readonly PiiFinding[]>;

type Term = { offset?: { start: number; length: number }; tags?: string[] };
type Phrase = { terms: Term[] };

/** Sentences do not reach further than a paragraph; a longer one is cut, so that the time stays linear. */
const LONGEST_PARAGRAPH = 2000;

/** Names by word lists and grammar. */
export async function loadSimpleNames(): Promise<FindNames> {
  const { default: nlp } = await import("compromise/three");

  return async (text, isCancelled) => {
    const findings: PiiFinding[] = [];
    for (const { index: base, 0: paragraph } of text.matchAll(new RegExp(`[^\\n]{1,${LONGEST_PARAGRAPH}}`, "g"))) {
      if (isCancelled()) break;
      const document = nlp(paragraph);
      for (const [rule, found] of [
        ["PERSON", document.people()],
        ["PLACE", document.places()],
      ] as const) {
        for (const { terms } of found.json({ offset: true }) as Phrase[]) {
          const first = terms.at(0)?.offset;
          const last = terms.at(-1)?.offset;
          if (first === undefined || last === undefined) continue;
          findings.push({ rule, action: "mask", start: base + first.start, end: base + last.start + last.length });
        }
      }
    }

    return findings;
  };
}
