import { Random } from "../../../scripts/train/random.ts";
import type { EntryType } from "../../../sdk/ingestion/entry.ts";
import type { KnownFact } from "./assemble.ts";
import { voice } from "./voice.ts";

/**
 * What a golem may know already: each fact twice, in one of its two wordings and in voices of its own. An entry that tells the fact in the
 * other wording is then neither a copy of it nor news.
 */
export function ownMemory(
  facts: readonly KnownFact[],
  { wording, seed }: { wording: 0 | 1; seed: number },
): { content: string; entryType: EntryType }[] {
  const random = new Random(seed);

  return facts.flatMap((fact) =>
    ["first", "second"].map(() => {
      const { entryType, tell } = voice(random, fact.domain);

      return { entryType, content: tell({ statement: fact.holds[wording], action: fact.act }) };
    }),
  );
}
