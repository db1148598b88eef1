import { randomInt } from "node:crypto";
import type { Span } from "../../text/mapped.ts";

/** A part that was withheld of a text, by its place in the text as it came. */
export type Withheld = Span & {
  /** What stands in its place names it, `[withheld: possible instruction, k7q2x9mb]`. */
  readonly id: string;
};

/** Where what is withheld is kept, for the owner's eyes. */
export type WithheldTexts = {
  keep(id: string, text: string): void | Promise<void>;
  /** Undefined for what was never kept, or is kept no more. */
  find(id: string): string | undefined | Promise<string | undefined>;
};

/** UTF-16 units that are kept by default, each text counted with {@link OVERHEAD} more. */
const MOST_KEPT = 4_000_000;
const OVERHEAD = 64;

/** Keeps texts in memory. Where they are more than the limit, the oldest are gone. */
export function keepWithheld({ limit = MOST_KEPT }: { limit?: number } = {}): WithheldTexts {
  const texts = new Map<string, string>();
  let size = 0;

  return {
    keep(id, text) {
      texts.set(id, text);
      size += text.length + OVERHEAD;
      for (const [oldest, { length }] of texts) {
        if (size <= limit) break;
        texts.delete(oldest);
        size -= length + OVERHEAD;
      }
    },
    find: (id) => texts.get(id),
  };
}

/** Without those that are easily taken for each other. */
const CHARACTERS = "abcdefghjkmnpqrstuvwxyz23456789";

/** One of 10^11 and more: whoever writes a text cannot name one that was not shown to him. */
export function newWithheldId(): string {
  return Array.from({ length: 8 }, () => CHARACTERS.charAt(randomInt(CHARACTERS.length))).join("");
}

/** What stands in the place of a part. */
export function markOf(id: string): string {
  return `[withheld: possible instruction, ${id}]`;
}
