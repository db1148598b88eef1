import type { Direction, Role, Thing } from "../claim.ts";
import type { Meaning, Word } from "../words/words.ts";
import { type Draft, newDraft } from "./draft.ts";

/** The statement that is being read: its things so far, and what waits for the next one. */
export class ClauseBuilder {
  readonly drafts: Draft[] = [];
  draft = newDraft();
  chunk: Word[] = [];
  role: Role = "subject";
  /** A direction that waits for the thing it is about. */
  pending: Direction | undefined;
  isPendingAttribute = false;
  /** The direction that "and" carries over to the next thing. */
  carried: Direction | undefined;
  /** "protects a swap from ...": what it is that follows is the risk's. */
  governed: Thing | undefined;
  #isDisregarded = false;
  #subject: readonly Thing[];

  /** `before`: what "it" stands for. */
  constructor(before: readonly Thing[]) {
    this.#subject = before;
  }

  /** Whether the statement waits for its subject. */
  get hasNoSubject(): boolean {
    return this.draft.things.length === 0 && this.role === "subject";
  }

  deny(): void {
    this.endChunk();
    this.draft.isDenied = !this.draft.isDenied;
    if (this.draft.things.length > 0) this.toObject();
  }

  disregard(): void {
    this.endChunk();
    this.draft.isUniversal = true;
    this.#isDisregarded = true;
  }

  /** "below 1", "more than the debt": on which side of what follows the thing before it is. */
  compare(direction: 1 | -1, isNumber: boolean): void {
    this.endChunk();
    const things = this.draft.things;
    const last = things.at(-1);
    if (isNumber && last !== undefined && last.direction === 1)
      things[things.length - 1] = { ...last, direction, stated: "moved" };
    if (!isNumber) this.draft.marks.push({ word: "than", at: things.length, side: direction });
    this.pending = undefined;
  }

  /** "fees rise": the direction is that of the thing before. */
  directBack(direction: Direction): void {
    const things = this.draft.things;
    const hasObject = things.some(({ role }) => role === "object");
    const at =
      this.role === "condition"
        ? things.findLastIndex(({ role }) => role === "condition")
        : hasObject
          ? things.length - 1
          : things.findIndex(({ role }) => role === "subject");
    const thing = things[at];
    if (thing !== undefined)
      things[at] = { ...thing, direction: combined(thing.direction, direction), stated: "moved" };
  }

  addWord(text: string, meaning: Meaning, isName = false): void {
    this.chunk.push({ text, ...meaning, isName });
  }

  /** "protects a swap from": the risk that governs what follows. */
  riskBefore(): Thing | undefined {
    return this.draft.things
      .slice(-2)
      .find(({ words, role }) => role === "object" && words.length === 1 && words[0]?.concept === "risk");
  }

  /** A verb has been read: what follows is what the subject does. */
  toObject(): void {
    if (this.role === "condition") return;
    this.role = "object";
    this.draft.hasVerb = true;
  }

  /** "it", "their": the subject of the statement before. */
  inherit(): void {
    for (const thing of this.#subject) this.draft.things.push(thing);
  }

  /** "and raises ...": a predicate without a subject of its own. */
  takeUp(): void {
    this.inherit();
    if (this.draft.things.length > 0) this.toObject();
  }

  /** Ends the thing that is being read. */
  endChunk(): void {
    if (this.chunk.length === 0) return;

    if (this.#isDisregarded) {
      this.draft.disregarded.push(...this.chunk.map(({ concept }) => concept));
      this.#isDisregarded = false;
    }
    const governed = this.governed;
    const direction = this.pending ?? governed?.direction ?? 1;
    const stated =
      this.pending === undefined ? (governed?.stated ?? "named") : this.isPendingAttribute ? "attribute" : "moved";
    this.draft.things.push({
      words: [...(governed?.words ?? []), ...this.chunk],
      direction,
      role: this.role,
      stated,
    });
    this.isPendingAttribute = false;
    this.governed = undefined;
    this.carried = this.pending;
    this.pending = undefined;
    this.chunk = [];
  }

  /** Ends the statement that is being read. */
  endClause(): void {
    this.endChunk();
    const draft = this.draft;
    if (draft.things.length > 0) {
      this.drafts.push(draft);
      const subject = draft.things.filter(({ role }) => role === "subject");
      if (subject.length > 0) this.#subject = subject.slice(0, 2);
    }
    this.draft = newDraft();
    this.role = "subject";
    this.pending = undefined;
    this.carried = undefined;
    this.governed = undefined;
    this.#isDisregarded = false;
  }
}

export function combined(a: Direction, b: Direction): Direction {
  return (a * b || 0) as Direction;
}
