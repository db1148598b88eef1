import type { LayerVote } from "../../entry.ts";
import type { Embedder, Evidence, Judgement, Probe, Reasoner, StatementReader } from "../../ports.ts";
import type { GrimoireReader } from "../../store/types.ts";
import { type ProcedureCode, proceduresOf } from "../procedures/procedures.ts";
import { type AskingLayer, MOST_CLAIMS, type Question } from "./batch.ts";
import type { Candidate } from "./layer.ts";
import { Neighbourhood } from "./neighbours.ts";

const MORE_THAN_A_WORD = /\p{L}\P{L}+\p{L}/u;
const PATIENCE_MS = 30_000;

const PROCEDURES: Record<ProcedureCode, string> = {
  redirect: "It has one thing's records read from another's.",
  wordingCondition: "It acts on the wording of a question instead of the state of the world.",
  answerOverride: "It dictates the answer to a question.",
  destruction: "It has records or secrets deleted, altered or given away.",
  plantedAddress: "It has funds or rights given to an address that it names itself.",
  concealment: "It is to be done without anybody noticing.",
  safeguardBypass: "It has a check, test or limit left out.",
};

/** What the two paths are asked about one candidate. `sentences`: how many of its own say anything. */
type Divergence = Question & {
  probes: readonly Probe[];
  known: readonly (Evidence & { id: string })[];
  ownPieces: number;
  sentences: number;
};

export type DivergenceParts = {
  grimoire: GrimoireReader;
  /** Says what is asked about; the reasoners answer. */
  reader: StatementReader;
  baseline: Reasoner;
  augmented?: Reasoner;
  /** The Grimoire's own; with it what is known is looked up for each sentence, so that padding does not hide one. */
  embedder?: Embedder;
  timeoutMs?: number;
};

/**
 * Consensus divergence, after A-MemGuard (arXiv 2510.02373), moved from retrieval to ingestion: two paths judge the same sentences, drawn
 * from the candidate and from its two nearest neighbours; the baseline path by the neighbours alone, the augmented path by the neighbours
 * and the candidate. One call of a reasoner per path.
 *
 * Fails when the neighbours contradict a sentence of the candidate, when the candidate turns what the neighbours made one conclude, or
 * when the two paths disagree on the candidate itself, which is also how one compromised reasoner shows. Fails without asking anybody
 * when the entry holds what no honest procedure holds (`procedures.ts`). Passes when nothing diverges: `isUnconfirmed` where a
 * reasoner does not understand, unless the neighbours confirm every sentence of the candidate. Abstains otherwise: nothing related is known, or a reasoner cannot be relied on.
 */
export class DivergenceLayer implements AskingLayer<Divergence> {
  readonly layer = "consensus";
  readonly #neighbourhood: Neighbourhood;
  readonly #baseline: Reasoner;
  readonly #augmented: Reasoner;
  readonly #timeoutMs: number;
  readonly #reader: StatementReader;

  constructor(parts: DivergenceParts) {
    this.#neighbourhood = new Neighbourhood(parts);
    this.#reader = parts.reader;
    this.#baseline = parts.baseline;
    this.#augmented = parts.augmented ?? parts.baseline;
    this.#timeoutMs = parts.timeoutMs ?? PATIENCE_MS;
  }

  /** Whether both reasoners declare that they understand; what is not declared is not believed. */
  get #understands(): boolean {
    return [this.#baseline, this.#augmented].every(({ understands }) => understands === true);
  }

  get isCostly(): boolean {
    return this.#understands;
  }

  async vote(candidate: Candidate): Promise<LayerVote> {
    const prepared = await this.prepare(candidate);
    if ("vote" in prepared) return prepared;
    const [vote] = (await this.ask([prepared])) ?? [];

    return vote ?? this.#vote("abstain", "A reasoner did not answer in time, failed, or gave no valid judgements.");
  }

  async prepare(candidate: Candidate): Promise<LayerVote | Divergence> {
    const [procedure] = proceduresOf(candidate.content);
    if (procedure !== undefined) return this.#vote("fail", PROCEDURES[procedure.code], 1);

    const statements = this.#reader.statementsOf(candidate.content);
    if (statements.length === 0) return this.#vote("abstain", "It states nothing that can be compared.");
    if (statements.length > MOST_CLAIMS) {
      return this.#vote(
        "abstain",
        `It makes ${statements.length} statements, and no more than ${MOST_CLAIMS} are compared.`,
      );
    }
    const neighbours = await this.#neighbourhood.of(candidate, statements);
    if (neighbours === undefined) return this.#vote("abstain", "It makes more statements than can be compared.");
    if (neighbours.length === 0) return this.#vote("abstain", "Nothing related is known.");
    const probes = this.#reader.probesOf(
      candidate.content,
      neighbours.map(({ content }) => content),
    );

    return {
      candidate,
      probes,
      statements: probes.map(({ sentence }) => sentence),
      known: neighbours.map(({ id, content, source }) => ({ id, text: content, source })),
      ownPieces: neighbours.filter(({ isOwn }) => isOwn).length,
      evidence: new Map(neighbours.map(({ id, content }) => [id, content])),
      sentences: countTelling(this.#reader.sentencesOf(candidate.content)),
    };
  }

  /** The baseline path is asked about all by the neighbours of all, the augmented one by these and the candidates. */
  async ask(questions: readonly Divergence[]): Promise<LayerVote[] | undefined> {
    const pieces = new Map(questions.flatMap(({ known }) => known.map((piece) => [piece.id, piece] as const)));
    const known = [...pieces.values()].map(({ text, source }): Evidence => ({ text, source }));
    const own = questions.map(({ candidate }): Evidence => ({ text: candidate.content, source: candidate.party }));
    const statements = [...new Set(questions.flatMap((question) => question.statements))];
    const [baseline, augmented] = await Promise.all([
      this.#judge(this.#baseline, statements, known),
      this.#judge(this.#augmented, statements, [...known, ...own]),
    ]);
    if (baseline === undefined || augmented === undefined) return undefined;
    const at = new Map(statements.map((statement, index) => [statement, index]));

    return questions.map(({ probes, sentences, ownPieces }) => {
      const stances = (of: readonly Stance[]) => probes.map(({ sentence }) => of[at.get(sentence) ?? -1] ?? "unknown");

      return {
        ...this.#compare(probes, { baseline: stances(baseline), augmented: stances(augmented), sentences }),
        basis: { isUnderstood: this.#understands, ownPieces },
      };
    });
  }

  #compare(
    probes: readonly Probe[],
    {
      baseline,
      augmented,
      sentences,
    }: { baseline: readonly Stance[]; augmented: readonly Stance[]; sentences: number },
  ): LayerVote {
    let diverging = 0;
    let judged = 0;
    let confirmed = 0;
    for (const [at, { of }] of probes.entries()) {
      const before = baseline[at] ?? "unknown";
      const after = augmented[at] ?? "unknown";
      if (before !== "unknown" || after === "fails") judged += 1;
      if (of === "candidate" && before === "holds" && after === "holds") confirmed += 1;
      const isContradicted = of === "candidate" && (before === "fails" || after === "fails");
      const isTurned = before === "holds" && after !== "holds";
      if (isContradicted || isTurned) diverging += 1;
    }

    // One wrong sentence is enough, however much truth stands around it.
    if (diverging > 0) {
      return this.#vote(
        "fail",
        `${diverging} of ${judged} judged sentences diverge from related knowledge.`,
        0.5 + (0.5 * diverging) / judged,
      );
    }
    // A true observation beside an unheard-of conclusion is no confirmed entry, and neither are many.
    if (confirmed >= sentences) {
      return this.#vote("pass", `Related knowledge confirms all of its ${sentences} sentences.`, 0);
    }

    // A reasoner that says nothing even of what is known has not looked.
    const isNoneTheWorse = probes.some(
      ({ of }, at) => of === "neighbour" && baseline[at] === "holds" && augmented[at] === "holds",
    );

    return isNoneTheWorse
      ? {
          ...this.#vote("pass", "It changes nothing that follows from related knowledge, and nothing confirms it.", 0),
          isUnconfirmed: !this.#understands,
        }
      : this.#vote("abstain", "Related knowledge neither confirms nor contradicts it.");
  }

  /** The stances, one per sentence; undefined when the reasoner throws, takes too long or answers anything else. */
  async #judge(
    reasoner: Reasoner,
    sentences: readonly string[],
    evidence: readonly Evidence[],
  ): Promise<Stance[] | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(resolve, this.#timeoutMs, undefined);
    });
    try {
      return stancesOf(await Promise.race([reasoner.judge(sentences, evidence), late]), sentences.length);
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  #vote(vote: LayerVote["vote"], reason: string, score?: number): LayerVote {
    return { layer: this.layer, vote, reason, ...(score !== undefined && { score }) };
  }
}

/** Sentences that say anything, each counted once. */
function countTelling(sentences: readonly string[]): number {
  const telling = sentences.filter((sentence) => MORE_THAN_A_WORD.test(sentence) && !sentence.trimEnd().endsWith("?"));

  return Math.max(1, new Set(telling).size);
}

type Stance = Judgement["stance"];

/** A reasoner is a port: what it answers is checked though its type is known. */
function stancesOf(answer: unknown, count: number): Stance[] | undefined {
  if (!Array.isArray(answer) || answer.length !== count) return undefined;
  const stances = answer.map((judgement: unknown) =>
    typeof judgement === "object" && judgement !== null && "stance" in judgement ? judgement.stance : undefined,
  );

  return stances.every(isStance) ? stances : undefined;
}

function isStance(value: unknown): value is Stance {
  return value === "holds" || value === "fails" || value === "unknown";
}
