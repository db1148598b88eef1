import type { Quantity } from "./words/quantity.ts";
import type { Word } from "./words/words.ts";

/** Which way a thing goes: more, less, or none of it. A thing that is only named is there: 1. */
export type Direction = 1 | -1 | 0;

export type Role = "subject" | "object" | "condition";

/** A thing a statement speaks of, and what happens to it. */
export type Thing = {
  words: readonly Word[];
  direction: Direction;
  role: Role;
  /** Where the direction is from: what happens to it, an attribute of it ("a small amount"), or nothing but that it is named. */
  stated: "moved" | "attribute" | "named";
};

/** One statement about the world: subject, relation, object, direction, quantity, condition. */
export type Claim = {
  /** The sentence it was read from. */
  sentence: string;
  /** Its words: two statements of one sentence are no rivals. */
  wording: string;
  things: readonly Thing[];
  /** not, never, can not. */
  isDenied: boolean;
  /** always, never, all, no, guaranteed, whatever. */
  isUniversal: boolean;
  /** can, may, sometimes. */
  isHedged: boolean;
  /** What the subject does to the object: it goes both ways, or it does nothing to it. */
  effect?: "either" | "none";
  quantities: readonly Quantity[];
  /** Who gives to whom ("longs pay shorts"), by concept. */
  transfer?: { giver: readonly string[]; taker: readonly string[] };
  /** Left and right of "than", "below": they can not change places. `side`: whether the left is said to be above or below. */
  compared?: { left: readonly string[]; right: readonly string[]; side?: 1 | -1 };
  /** Says what to do, not what is. */
  isAdvice: boolean;
  /** What the statement must hold without regard to ("regardless of imbalance"). */
  disregarded: readonly string[];
  /** Identifiers of the whole sentence (`beforeSwap`, `veCRV`). */
  identifiers: readonly string[];
  /** Concepts with how much they tell of the subject matter. */
  weights: ReadonlyMap<string, number>;
};
