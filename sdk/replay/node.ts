import { NoCageError } from "../cage/read/reader.ts";
import { nodeErrorOf } from "../core/node-error.ts";

/** Asks about every item, a few at once, and answers in their order. */
export async function inSlices<Item, Answer>(
  items: readonly Item[],
  size: number,
  ask: (item: Item) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let start = 0; start < items.length; start += size) {
    answers.push(...(await Promise.all(items.slice(start, start + size).map(ask))));
  }

  return answers;
}

/**
 * What a question about an earlier block answers, or that the node refuses it.
 * @throws {NodeError} when the node gives no answer at all.
 */
export async function orStateGone<Answer>(question: () => Promise<Answer>): Promise<Answer | "PAST_STATE_GONE"> {
  try {
    return await question();
  } catch (error) {
    const silence = nodeErrorOf(error);
    if (silence !== undefined) throw silence;
    // An error of the client, which the node's answer made, or a cage that reported something and was not there: all others are ours.
    const isAnswer = error instanceof NoCageError || (error instanceof Error && "shortMessage" in error);
    if (!isAnswer) throw error;

    return "PAST_STATE_GONE";
  }
}
