import type { LessonBook } from "../../core/lessons.ts";
import { embedAll } from "../embedding.ts";
import { IngestionError } from "../errors.ts";
import type { KnowledgeStore } from "../store/open.ts";

const MOST_MATCHES = 4;

/** What a store's golem has learned from failures, for whoever is about to act. Throws what the embedder throws, and `EMBEDDING_INVALID`. */
export function lessonBook({ embedder, lessons }: Pick<KnowledgeStore, "embedder" | "lessons">): LessonBook {
  return {
    async consult(action) {
      const [vector] = await embedAll(embedder, [action]);
      if (vector === undefined) throw new IngestionError("EMBEDDING_INVALID", `${embedder.id} gave no vector.`);

      return lessons.match(vector, MOST_MATCHES);
    },
  };
}
