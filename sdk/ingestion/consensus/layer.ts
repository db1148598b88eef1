import { type EntryType, keyOf, type LayerName, type LayerVote, type QuarantinedEntry } from "../entry.ts";

/** What a layer looks at: an entry before it is believed, with its vector. */
export type Candidate = {
  id: string;
  content: string;
  entryType: EntryType;
  /** See `keyOf`. */
  author: string;
  vector: Float32Array;
};

/** One voice of stage two. A layer that can not tell abstains; one that throws is taken to have abstained. */
export interface ConsensusLayer {
  readonly layer: LayerName;
  vote(candidate: Candidate): Promise<LayerVote>;
}

export function candidateOf({ id, content, entryType, source }: QuarantinedEntry, vector: Float32Array): Candidate {
  return { id, content, entryType, author: keyOf(source), vector };
}

/** The layer's vote, or an abstention that says why there is none. */
export async function voteOf(layer: ConsensusLayer, candidate: Candidate): Promise<LayerVote> {
  try {
    return await layer.vote(candidate);
  } catch (error) {
    const cause = error instanceof Error ? error.name : "unknown";

    return { layer: layer.layer, vote: "abstain", reason: `The layer failed (${cause}).` };
  }
}
