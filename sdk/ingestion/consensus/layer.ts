import type { EntryType, LayerName, LayerVote } from "../entry.ts";

/** What a layer looks at: an entry before it is believed, with its vector. `author`: one vote per author, see `keyOf`. */
export type Candidate = {
  id: string;
  content: string;
  entryType: EntryType;
  author: string;
  vector: Float32Array;
};

/** One voice of stage two. A layer that can not tell abstains; one that throws is taken to have abstained. */
export interface ConsensusLayer {
  readonly layer: LayerName;
  vote(candidate: Candidate): Promise<LayerVote>;
}
