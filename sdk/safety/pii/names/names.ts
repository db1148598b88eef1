import type { PiiFinding } from "../rules/rules.ts";

/** Finds names of people and places in a text. */
export type NerModel = {
  readonly name: string;
  /** Findings of the rules PERSON and PLACE, by place. Rejects on failure. */
  find(text: string, signal?: AbortSignal): Promise<readonly PiiFinding[]>;
  close?(): Promise<void>;
};

type Term = { offset?: { start: number; length: number }; tags?: string[] };
type Phrase = { terms: Term[] };

/** Sentences do not reach further than a paragraph; a longer one is cut, so that the time stays linear. */
const LONGEST_PARAGRAPH = 2000;

/**
 * A small recogniser by word lists and grammar (`compromise`), for English. It knows common names only: an ONNX model finds more.
 */
export async function openSimpleNer(): Promise<NerModel> {
  const { default: nlp } = await import("compromise/three");

  return {
    name: "compromise",
    async find(text, signal) {
      const findings: PiiFinding[] = [];
      for (const { index: base, 0: paragraph } of text.matchAll(new RegExp(`[^\\n]{1,${LONGEST_PARAGRAPH}}`, "g"))) {
        signal?.throwIfAborted();
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
    },
  };
}
