/** Where a text comes from. What is an order from a user is an injection in a tool's answer. */
export type Channel = "user" | "tool" | "document";

/**
 * What a text that an agent reads counts as where its host does not say: the stricter of the two. Hosts name what reads pages, never the
 * text, whose form its author chooses.
 */
export const UNNAMED_CHANNEL = "tool" satisfies Channel;

/** Scores texts; see `lite.ts` (embedded) and `deberta.ts` (fetched) for the implementations. */
export type InjectionClassifier = {
  readonly name: string;
  /**
   * Calibrated probability in [0, 1] that the text carries an injection. Rejects on failure: a classifier that cannot answer must
   * not look like one that found nothing.
   */
  score(text: string, channel: Channel, signal?: AbortSignal): Promise<number>;
  close?(): Promise<void>;
};

/** A model that is loaded in this thread. `isCancelled` is asked between batches. */
export type Scorer = {
  score(text: string, channel: Channel, isCancelled: () => boolean): Promise<number>;
};
