import type { Claim, Thing } from "../claim.ts";
import { TRANSFERS } from "../words/grammar.ts";
import type { Quantity } from "../words/quantity.ts";
import type { Word } from "../words/words.ts";

/** A statement while it is read. */
export type Draft = {
  things: Thing[];
  isDenied: boolean;
  isUniversal: boolean;
  isHedged: boolean;
  effect?: "either" | "none";
  quantities: Quantity[];
  verb?: { word: string; at: number; isPassive: boolean };
  /** Things before and after "by", "to", "from", "than". */
  marks: { word: string; at: number; side?: 1 | -1 }[];
  disregarded: string[];
  hasVerb: boolean;
  /** Words of direction read so far. */
  directions: number;
  isAdvice: boolean;
};

export const newDraft = (): Draft => ({
  things: [],
  isDenied: false,
  isUniversal: false,
  isHedged: false,
  quantities: [],
  marks: [],
  disregarded: [],
  hasVerb: false,
  directions: 0,
  isAdvice: false,
});

/** The statement, once its words are all read; none where they state nothing. */
export function finished(draft: Draft, written: Pick<Claim, "sentence" | "wording" | "identifiers">): Claim[] {
  const weights = new Map<string, number>();
  for (const { words } of draft.things) {
    for (const { concept, weight } of words) weights.set(concept, Math.max(weight, weights.get(concept) ?? 0));
  }
  if (weights.size === 0 || !isPredication(draft)) return [];

  const effect = effectOf(draft);
  const transfer = transferOf(draft);
  const compared = comparedOf(draft);

  return [
    {
      ...written,
      things: draft.things,
      isDenied: effect === "none" ? false : draft.isDenied,
      isUniversal: draft.isUniversal,
      isHedged: draft.isHedged,
      ...(effect !== undefined && { effect }),
      quantities: draft.quantities,
      ...(transfer !== undefined && { transfer }),
      ...(compared !== undefined && { compared }),
      isAdvice: draft.isAdvice,
      disregarded: draft.disregarded,
      weights,
    },
  ];
}

/** A heading or a row of a table has no verb; "the larger the trade, the worse the price" has none either, and says something. */
function isPredication(draft: Draft): boolean {
  return draft.hasVerb || draft.isAdvice || draft.effect !== undefined || draft.directions >= 2;
}

/** "has no effect on", "does not depend on", "does not matter". */
function effectOf(draft: Draft): "either" | "none" | undefined {
  if (draft.effect !== undefined) return draft.isDenied ? "none" : draft.effect;

  const effect = draft.things.find(({ words }) =>
    words.some(({ concept }) => concept === "effect" || concept === "matter" || concept === "depend"),
  );
  if (effect === undefined) return undefined;

  if (!draft.isDenied && effect.direction !== 0) return undefined;

  // "no fixed effect" is no "no effect".
  return effect.words.some(({ text }) => /^(?:fixed|clear|certain|definite|single|uniform|constant)$/.test(text))
    ? "either"
    : "none";
}

function transferOf(draft: Draft): Claim["transfer"] {
  const { verb, things, marks } = draft;
  if (verb === undefined) return passedOn(draft);

  const marked = (word: string) => {
    const mark = marks.find(({ word: other, at }) => other === word && at > verb.at);

    return mark === undefined ? undefined : things[mark.at];
  };
  const subjects = things.slice(0, verb.at).filter(({ role }) => role === "subject");
  const subject = subjects.findLast((thing) => partiesOf(thing).length > 0) ?? subjects.at(-1);
  const by = marked("by");
  const to = marked("to");
  const from = marked("from");
  const direct = things[verb.at + 1];
  const side = TRANSFERS.get(verb.word);
  let giver: Thing | undefined;
  let taker: Thing | undefined;
  if (side === "gives") {
    giver = verb.isPassive ? by : subject;
    taker = to ?? (verb.isPassive ? undefined : direct);
  } else {
    taker = verb.isPassive ? by : subject;
    giver = from ?? (verb.isPassive ? undefined : by);
  }
  const [gives, takes] = [partiesOf(giver), partiesOf(taker)];

  return gives.length === 0 && takes.length === 0 ? undefined : { giver: gives, taker: takes };
}

/** "moves money from longs to shorts". */
function passedOn({ things, marks }: Draft): Claim["transfer"] {
  const after = (word: string) => {
    const mark = marks.find((other) => other.word === word);

    return partiesOf(mark === undefined ? undefined : things[mark.at]);
  };
  const [giver, taker] = [after("from"), after("to")];

  return giver.length === 0 || taker.length === 0 ? undefined : { giver, taker };
}

/** Who can give and take; fees and tokens are given. */
const PARTIES: ReadonlySet<string> = new Set(
  "lp trader long short borrower lender validator liquidator user issuer seller protocol admin governance vault account arbitrage bidder keeper staker referrer".split(
    " ",
  ),
);

function partiesOf(thing: Thing | undefined): string[] {
  return thing === undefined ? [] : thing.words.filter(isParty).map(({ concept }) => concept);
}

function isParty({ text, concept, weight }: Word): boolean {
  return PARTIES.has(concept) || (weight === 1 && /^[a-z]{3,}(?:er|or)s?$/.test(text));
}

function comparedOf({ things, marks }: Draft): Claim["compared"] {
  const than = marks.find(({ word }) => word === "than");
  if (than === undefined) return undefined;

  const left = things.slice(0, than.at).flatMap(conceptsOf);
  const right = things.slice(than.at).flatMap(conceptsOf);

  return left.length === 0 || right.length === 0
    ? undefined
    : { left, right, ...(than.side !== undefined && { side: than.side }) };
}

function conceptsOf({ words }: Thing): string[] {
  return words.map(({ concept }) => concept);
}
