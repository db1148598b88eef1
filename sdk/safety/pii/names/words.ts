import type { PiiFinding } from "../rules/rules.ts";

/** How a thread looks for names; `isCancelled` says that nobody waits any more. */
export type FindNames = (text: string, isCancelled: () => boolean) => Promise<readonly PiiFinding[]>;

/** A word in its place in the text, with its tokens. */
export type Word = { readonly start: number; readonly end: number; readonly ids: readonly number[] };

type Entity = "PERSON" | "PLACE";

/** Letters and digits, or one character of another kind. */
export const WORD = /[\p{L}\p{M}\p{N}]+|[^\s]/gu;

/** Words that a window shares with the one before, at most: a name may stand on the edge. */
const MOST_SHARED = 8;

/** A quarter at most, so that windows of few long words get on. */
const sharedBy = (words: number) => Math.min(MOST_SHARED, words >> 2);

/** Windows of at most `room` tokens, as ranges of words. A word of more tokens has a window of its own. */
export function* windowsOf(words: readonly Word[], room: number): Generator<{ from: number; to: number }> {
  let from = 0;
  while (from < words.length) {
    let tokens = 0;
    let to = from;
    while (to < words.length && (to === from || tokens + (words[to]?.ids.length ?? 0) <= room)) {
      tokens += words[to]?.ids.length ?? 0;
      to += 1;
    }
    yield { from, to };
    from = to < words.length ? to - sharedBy(to - from) : to;
  }
}

/**
 * Puts a window's answers behind those of the windows before it; of two windows that share words each answers for the half that is farther
 * from its edge.
 */
export function placeAnswers<Answer>(all: Answer[], from: number, answers: readonly Answer[]): void {
  const kept = Math.ceil((all.length - from) / 2);
  all.splice(from + kept, all.length, ...answers.slice(kept));
}

/** Joins words of one name: the same kind, side by side, and none of them the beginning of another. */
export function namesOf(words: readonly Word[], labels: readonly (string | undefined)[]): PiiFinding[] {
  const findings: PiiFinding[] = [];
  let open: PiiFinding | undefined;
  for (const [index, word] of words.entries()) {
    const label = labels[index];
    const rule = entityOf(label);
    if (rule === undefined) {
      open = undefined;
    } else if (open?.rule === rule && label?.startsWith("I") && word.start - open.end <= 2) {
      open.end = word.end;
    } else {
      open = { rule, action: "mask", start: word.start, end: word.end };
      findings.push(open);
    }
  }

  return findings;
}

function entityOf(label: string | undefined): Entity | undefined {
  if (label === undefined) return undefined;
  if (/PER/.test(label)) return "PERSON";

  return /LOC|GPE/.test(label) ? "PLACE" : undefined;
}
