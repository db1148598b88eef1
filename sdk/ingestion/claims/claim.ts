import {
  ABOVE,
  ABSENCES,
  AMBIGUOUS,
  AUXILIARIES,
  BELOW,
  BREAKS,
  CONDITIONS,
  DOWN,
  FUNCTION_WORDS,
  GONE,
  HEDGES,
  IGNORED_CONDITION,
  NEGATIONS,
  NEGATIVE_CONDITIONS,
  PREPOSITIONS,
  PRONOUNS,
  TRANSFERS,
  UNAFFECTED,
  UNIVERSAL,
  UP,
  VERBS,
} from "./grammar.ts";
import { type Quantity, quantityAt } from "./quantity.ts";
import { isNamed, meaningOf, phraseAt, readable, type Word } from "./words.ts";

/** Which way a thing goes: more, less, or none of it. A thing that is only named is there: 1. */
export type Direction = 1 | -1 | 0;

export type Role = "subject" | "object" | "condition";

/** A thing a statement speaks of, and what happens to it. */
export type Thing = { words: readonly Word[]; direction: Direction; role: Role };

/** One statement about the world: subject, relation, object, direction, quantity, condition. */
export type Claim = {
  /** The sentence it was read from. */
  sentence: string;
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
  /** Left and right of "than": they can not change places. */
  compared?: { left: readonly string[]; right: readonly string[] };
  /** Says what to do, not what is. */
  isAdvice: boolean;
  /** What the statement must hold without regard to ("regardless of imbalance"). */
  disregarded: readonly string[];
  /** Identifiers of the whole sentence (`beforeSwap`, `veCRV`). */
  identifiers: readonly string[];
  /** Concepts with how much they tell of the subject matter. */
  weights: ReadonlyMap<string, number>;
};

const TOKEN = /\$|\d[\d,]*(?:\.\d+)?(?:%|x\b)?|[\p{L}_][\p{L}\p{N}_]*(?:'[\p{L}]+)?|[.,;:!?()"—–→=<>/]/gu;
const ATTACHED_PREFIX = /\b(re|de|co|over|under|un|pre|anti|auto|mis)-(?=\p{Ll})/gu;
const MAX_TOKENS = 160;
const MAX_CLAUSES = 12;

type Draft = {
  things: Thing[];
  isDenied: boolean;
  isUniversal: boolean;
  isHedged: boolean;
  effect?: "either" | "none";
  quantities: Quantity[];
  verb?: { word: string; at: number; isPassive: boolean };
  /** Things before and after "by", "to", "from", "than". */
  marks: { word: string; at: number }[];
  disregarded: string[];
  hasVerb: boolean;
  /** Words of direction read so far. */
  directions: number;
  isAdvice: boolean;
};

const newDraft = (): Draft => ({
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

/**
 * The statements of one sentence. `before`: the subject of the statement before, which "it" and "their" stand for. Questions state
 * nothing. Never throws; linear in the sentence, of which the first 160 words are read.
 */
export function claimsOfSentence(sentence: string, before: readonly Thing[] = []): Claim[] {
  const text = readable(sentence).replace(ATTACHED_PREFIX, "$1").replaceAll("-", " ");
  const written = (text.match(TOKEN) ?? []).slice(0, MAX_TOKENS);
  if (written.length < 3 || !isStatement(sentence, written)) return [];

  const identifiers = written.filter((token) => IDENTIFIER.test(token));
  return new Reading(written, before).drafts.flatMap((draft) => finished(draft, sentence, identifiers));
}

const IDENTIFIER = /[a-z][A-Z]|[a-z\d]_|_[a-z\d]/;
const CODE = /[{}<>]{2}|>>>|=>|==|::|\w\(|[\w)]\s*=\s*[\w("'[]|0x[0-9a-f]{8}|https?:|\$[A-Z_]{2}|;\s*$/i;
const SHARE_OF_LETTERS = 0.6;

/** Questions, code and bare tables state nothing; nor does "Returns the amount ...", which describes a function. */
function isStatement(sentence: string, written: readonly string[]): boolean {
  const last = written.at(-1);
  if (
    last === "?" ||
    last === ":" ||
    /^(returns?|reverts?|calls?|callable|called|emits?|getter|setter)$/i.test(written[0] ?? "")
  )
    return false;
  if (CODE.test(sentence)) return false;
  let letters = 0;
  for (const token of written) if (/^\p{L}/u.test(token)) letters += 1;

  return letters >= SHARE_OF_LETTERS * written.length;
}

class Reading {
  readonly drafts: Draft[] = [];
  readonly #written: readonly string[];
  readonly #tokens: readonly string[];
  #draft = newDraft();
  #chunk: Word[] = [];
  #role: Role = "subject";
  /** A direction that waits for the thing it is about. */
  #pending: Direction | undefined;
  /** The direction that "and" carries over to the next thing. */
  #carried: Direction | undefined;
  #isDisregarded = false;
  /** "protects a swap from ...": what it is that follows is the risk's. */
  #governed: Thing | undefined;
  #subject: readonly Thing[];

  constructor(written: readonly string[], before: readonly Thing[]) {
    this.#written = written;
    this.#tokens = written.map((token) => token.toLowerCase().replace(/'s$/, ""));
    this.#subject = before;
    let at = 0;
    while (at < this.#tokens.length && this.drafts.length < MAX_CLAUSES) at += this.#read(at);
    this.#endClause();
  }

  /** Reads what stands at `at`; how many tokens it took. */
  #read(at: number): number {
    const token = this.#tokens[at] ?? "";
    const next = this.#tokens[at + 1] ?? "";
    if (/^[^\p{L}\p{N}_$]$/u.test(token)) return this.#punctuation(token, at);

    const phrase = phraseAt(this.#tokens, at);
    if (phrase !== undefined) {
      this.#addWord(this.#tokens.slice(at, at + phrase.length).join(" "), phrase.meaning, false);
      return phrase.length;
    }
    const measured = quantityAt(this.#tokens, at);
    if (measured !== undefined) {
      this.#endChunk();
      // "4." at the end of a sentence numbers the next item of a list.
      const isItem =
        measured.quantity.unit === "" &&
        this.#tokens[at + 1] === "." &&
        at + 2 >= this.#tokens.length &&
        !PREPOSITIONS.has(this.#tokens[at - 1] ?? "") &&
        measured.quantity.bound === "exactly";
      if (!isItem) this.#draft.quantities.push(measured.quantity);
      return measured.length;
    }

    return this.#logic(token, next, at) ?? this.#direction(token, next, at) ?? this.#word(token, next, at);
  }

  #punctuation(token: string, at: number): number {
    this.#endChunk();
    this.#pending = undefined;
    if (token === ";" || token === ":" || token === "—" || token === "–" || token === "→") this.#endClause();
    else if (token === "," && this.#role === "condition") this.#role = this.#draft.hasVerb ? "object" : "subject";
    else if (token === "," && this.#tokens[at + 1] === "and" && startsPredicate(this.#tokens[at + 2]))
      this.#endClause();

    return 1;
  }

  /** Words of logic: denial, absence, condition, comparison, new clause. */
  #logic(token: string, next: string, at: number): number | undefined {
    const draft = this.#draft;
    if (UNIVERSAL.has(token)) draft.isUniversal = true;
    if (HEDGES.has(token)) draft.isHedged = true;

    if (token === "no" && (next === "longer" || next === "more")) return this.#deny(2);
    if (token === "no" && next === "matter") return this.#disregard(2);
    if (token === "not" && next === "only") return 2;
    if (token === "nothing" || token === "nobody" || token === "none") return this.#deny(1);
    if (NEGATIONS.has(token)) return this.#deny(1);
    if (IGNORED_CONDITION.has(token) && !(token === "independently" && next !== "of")) return this.#disregard(1);
    if (UNAFFECTED.has(token)) {
      this.#endChunk();
      draft.effect = "none";
      this.#toObject();
      return 1;
    }
    if (AMBIGUOUS.has(token)) {
      this.#endChunk();
      draft.effect = "either";
      this.#toObject();
      return 1;
    }
    if (ABSENCES.has(token)) {
      this.#endChunk();
      this.#pending = 0;
      return 1;
    }
    if (token === "free" && this.#chunk.length > 0) {
      this.#pending = 0;
      this.#endChunk();
      return 1;
    }
    if (token === "free" && (next === "of" || next === "from")) {
      this.#pending = 0;
      return 2;
    }
    if ((token === "at" || token === "up") && (next === "least" || next === "most" || next === "to")) {
      this.#endChunk();
      return 2;
    }
    if ((token === "more" || token === "greater" || token === "higher" || token === "larger") && next === "than")
      return this.#compare(1, 2);
    if ((token === "less" || token === "fewer" || token === "lower" || token === "smaller") && next === "than")
      return this.#compare(-1, 2);
    const side = BELOW.has(token) ? -1 : ABOVE.has(token) ? 1 : undefined;
    if (side !== undefined && this.#isComparison(token, at)) return this.#compare(side, 1);
    if (
      CONDITIONS.has(token) &&
      !(token === "as" && /^(such|well|known|same|acts?|serves?|used|long|soon|as)$/.test(this.#tokens[at - 1] ?? ""))
    ) {
      this.#endChunk();
      this.#role = "condition";
      this.#pending = undefined;
      return 1;
    }
    if (NEGATIVE_CONDITIONS.has(token)) {
      this.#endChunk();
      this.#role = "condition";
      this.#pending = -1;
      return 1;
    }
    if (BREAKS.has(token)) {
      this.#endClause();
      return 1;
    }
    if (token === "and" || token === "or") {
      this.#endChunk();
      const after =
        next === "also" || next === "then" || next === "thus" || next === "so" ? this.#tokens[at + 2] : next;
      if (draft.hasVerb && startsPredicate(after)) this.#endClause();
      else this.#pending = this.#carried;
      return 1;
    }

    return undefined;
  }

  /** "below 1", "above its peg"; not "the examples below", "under load". */
  #isComparison(token: string, at: number): boolean {
    const next = this.#tokens[at + 1] ?? "";
    if (next === "$" || quantityAt(this.#tokens, at + 1) !== undefined) return true;
    if (token === "over" || token === "under" || token === "past") return false;

    return /^\p{L}/u.test(next) && !AUXILIARIES.has(next) && !PREPOSITIONS.has(next) && next !== "and" && next !== "we";
  }

  #deny(taken: number): number {
    this.#endChunk();
    this.#draft.isDenied = !this.#draft.isDenied;
    if (this.#draft.things.length > 0) this.#toObject();

    return taken;
  }

  #disregard(taken: number): number {
    this.#endChunk();
    this.#draft.isUniversal = true;
    this.#isDisregarded = true;

    return taken;
  }

  /** "below", "more than": what stands before is on that side of what follows. */
  #compare(direction: 1 | -1, taken: number): number {
    this.#endChunk();
    const things = this.#draft.things;
    const last = things.at(-1);
    if (last !== undefined && last.direction === 1) things[things.length - 1] = { ...last, direction };
    if (taken === 2) this.#draft.marks.push({ word: "than", at: things.length });
    this.#pending = undefined;

    return taken;
  }

  #direction(token: string, next: string, at: number): number | undefined {
    const direction = directionOf(token, next);
    if (direction === undefined) return undefined;

    const isNounUse = this.#chunk.length > 0 && next === "of";
    this.#endChunk();
    if (isNounUse) return 1;
    this.#draft.directions += 1;
    const previous = this.#tokens[at - 1] ?? "";
    if (
      this.#draft.things.length > 0 &&
      !PREPOSITIONS.has(previous) &&
      previous !== "the" &&
      previous !== "a" &&
      previous !== "an" &&
      this.#role !== "condition"
    )
      this.#toObject();
    if (this.#draft.things.length === 0 && this.#role === "subject" && this.#pending === undefined) {
      if (isBaseForm(token)) this.#draft.isAdvice = true;
      else if (this.drafts.length > 0 && /s$/.test(token) && token !== "less") {
        this.#inherit();
        this.#toObject();
      }
    }

    if (isBoundary(next)) {
      this.#directBack(direction);
      this.#pending = undefined;
    } else
      this.#pending =
        this.#pending === undefined || this.#pending === 1 ? direction : combined(this.#pending, direction);

    return 1;
  }

  /** "fees rise": the direction is that of the thing before. */
  #directBack(direction: Direction): void {
    const things = this.#draft.things;
    const at =
      this.#role === "condition"
        ? things.findLastIndex((thing) => thing.role === "condition")
        : this.#role === "object" && !this.#draft.hasVerb
          ? 0
          : things.length - 1;
    const subject = things.findIndex((thing) => thing.role === "subject");
    const chosen =
      this.#role === "condition"
        ? at
        : subject >= 0 && things.every((thing) => thing.role !== "object")
          ? subject
          : things.length - 1;
    const thing = things[chosen];
    if (thing !== undefined) things[chosen] = { ...thing, direction: combined(thing.direction, direction) };
  }

  #word(token: string, next: string, at: number): number {
    if (PRONOUNS.has(token)) {
      this.#endChunk();
      if (this.#draft.things.length === 0 && this.#role === "subject") this.#inherit();
      return 1;
    }
    if (token === "of" && this.#chunk.length > 0) return 1;
    if (/^(to|from|against|of)$/.test(token) && this.#chunk.at(-1)?.concept === "risk" && this.#role !== "subject")
      return 1;
    if (token === "than") {
      this.#endChunk();
      this.#draft.marks.push({ word: token, at: this.#draft.things.length });
      return 1;
    }
    if (PREPOSITIONS.has(token)) {
      this.#endChunk();
      if (token === "from" || token === "against" || token === "to") this.#governed = this.#riskBefore();
      if (token !== "of") this.#draft.marks.push({ word: token, at: this.#draft.things.length });
      return 1;
    }
    if (AUXILIARIES.has(token)) {
      this.#endChunk();
      if (this.#draft.things.length === 0 && this.#role === "subject" && this.drafts.length > 0) this.#inherit();
      if (this.#draft.things.length > 0) this.#toObject();
      return 1;
    }
    const side = TRANSFERS.get(token);
    if ((side !== undefined || VERBS.has(token)) && !this.#isNounHere(at, next)) {
      this.#endChunk();
      if (this.#draft.things.length === 0 && this.#role === "subject") {
        if (isBaseForm(token)) this.#draft.isAdvice = true;
        else {
          this.#inherit();
          if (this.#draft.things.length > 0) this.#toObject();
        }
      } else this.#toObject();
      if (side !== undefined && this.#draft.verb === undefined) {
        const previous = this.#tokens[at - 1] ?? "";
        this.#draft.verb = {
          word: token,
          at: this.#draft.things.length,
          isPassive: /^(is|are|be|been|being|was|were)$/.test(previous),
        };
      }
      this.#addWord(token, meaningOf(token), false);
      this.#endChunk();
      return 1;
    }
    if (FUNCTION_WORDS.has(token)) {
      this.#endChunk();
      return 1;
    }
    this.#addWord(token, meaningOf(token), isNamed(this.#written[at] ?? "", at === 0));

    return 1;
  }

  /** "the fee trades pay", "a trade": a word that is a verb elsewhere. */
  #isNounHere(at: number, next: string): boolean {
    const previous = this.#tokens[at - 1] ?? "";

    return (
      /^(the|a|an|each|every|any|no|this|its|their|of|per|for|with|more|less|higher|lower|swap|token|vault|lp)$/.test(
        previous,
      ) && !/^(the|a|an)$/.test(next)
    );
  }

  #addWord(text: string, meaning: { concept: string; end: 1 | 0 | -1; weight: number }, isName: boolean): void {
    this.#chunk.push({ text, ...meaning, isName });
  }

  #riskBefore(): Thing | undefined {
    return this.#draft.things
      .slice(-2)
      .find(({ words, role }) => role === "object" && words.length === 1 && words[0]?.concept === "risk");
  }

  #toObject(): void {
    if (this.#role === "condition") return;
    this.#role = "object";
    this.#draft.hasVerb = true;
  }

  #inherit(): void {
    for (const thing of this.#subject) this.#draft.things.push(thing);
  }

  #endChunk(): void {
    if (this.#chunk.length === 0) return;

    if (this.#isDisregarded) {
      this.#draft.disregarded.push(...this.#chunk.map(({ concept }) => concept));
      this.#isDisregarded = false;
    }
    const governed = this.#governed;
    const direction = this.#pending ?? governed?.direction ?? 1;
    this.#draft.things.push({ words: [...(governed?.words ?? []), ...this.#chunk], direction, role: this.#role });
    this.#governed = undefined;
    this.#carried = this.#pending;
    this.#pending = undefined;
    this.#chunk = [];
  }

  #endClause(): void {
    this.#endChunk();
    const draft = this.#draft;
    if (draft.things.length > 0) {
      this.drafts.push(draft);
      const subject = draft.things.filter(({ role }) => role === "subject");
      if (subject.length > 0) this.#subject = subject.slice(0, 2);
    }
    this.#draft = newDraft();
    this.#role = "subject";
    this.#pending = undefined;
    this.#carried = undefined;
    this.#governed = undefined;
    this.#isDisregarded = false;
  }
}

function directionOf(token: string, next: string): Direction | undefined {
  if (GONE.has(token)) return 0;
  // "diversifies away", "hedged away".
  if (DOWN.has(token) || (next === "away" && token.length > 3)) return -1;

  return UP.has(token) ? 1 : undefined;
}

function combined(a: Direction, b: Direction): Direction {
  return (a * b || 0) as Direction;
}

function isBoundary(token: string): boolean {
  return (
    token === "" ||
    /^[^\p{L}\p{N}$]/u.test(token) ||
    PREPOSITIONS.has(token) ||
    CONDITIONS.has(token) ||
    BREAKS.has(token) ||
    token === "and" ||
    token === "or" ||
    token === "to" ||
    BELOW.has(token) ||
    ABOVE.has(token) ||
    /^(significantly|substantially|slightly|linearly|exponentially|quickly|slowly|over|away|off|up|down|out|is|are)$/.test(
      token,
    )
  );
}

function startsPredicate(token: string | undefined): boolean {
  if (token === undefined) return false;

  return (
    VERBS.has(token) ||
    AUXILIARIES.has(token) ||
    TRANSFERS.has(token) ||
    NEGATIONS.has(token) ||
    (/(s|ed)$/.test(token) && (UP.has(token) || DOWN.has(token) || GONE.has(token)))
  );
}

function isBaseForm(token: string): boolean {
  return (
    !/(s|ed|ing|er|est)$/.test(token) &&
    !/^(more|less|high|low|large|small|big|deep|thin|most|least|strong|weak|narrow|wide|tight|dry|rich|scarce|extra|maximum|minimum|minimal|abundant|upward|downward|huge|little|short|shallow|heavy)$/.test(
      token,
    )
  );
}

function finished(draft: Draft, sentence: string, identifiers: readonly string[]): Claim[] {
  const weights = new Map<string, number>();
  for (const { words } of draft.things) {
    for (const { concept, weight } of words) weights.set(concept, Math.max(weight, weights.get(concept) ?? 0));
  }
  if (weights.size < 2 || !isPredication(draft)) return [];

  const effect = effectOf(draft);
  const transfer = transferOf(draft);
  const compared = comparedOf(draft);

  return [
    {
      sentence,
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
      identifiers,
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

  return draft.isDenied || effect.direction === 0 ? "none" : undefined;
}

function transferOf({ verb, things, marks }: Draft): Claim["transfer"] {
  if (verb === undefined) return undefined;

  const marked = (word: string) => {
    const mark = marks.find(({ word: other, at }) => other === word && at > verb.at);

    return mark === undefined ? undefined : things[mark.at];
  };
  const subject = things.slice(0, verb.at).findLast(({ role }) => role === "subject");
  const by = marked("by");
  const to = marked("to");
  const from = marked("from");
  const direct = things[verb.at + 1];
  const side = TRANSFERS.get(verb.word);
  let giver: Thing | undefined;
  let taker: Thing | undefined;
  if (side === "gives") {
    giver = verb.isPassive ? (by ?? undefined) : subject;
    taker = to ?? (verb.isPassive ? (by === undefined ? undefined : subject) : direct);
  } else {
    taker = verb.isPassive ? by : subject;
    giver = from ?? by;
  }
  if (giver === undefined || taker === undefined || giver === taker) return undefined;

  return { giver: conceptsOf(giver), taker: conceptsOf(taker) };
}

function comparedOf({ things, marks }: Draft): Claim["compared"] {
  const than = marks.find(({ word }) => word === "than");
  if (than === undefined) return undefined;

  const left = things.slice(0, than.at).flatMap(conceptsOf);
  const right = things.slice(than.at).flatMap(conceptsOf);
  return left.length === 0 || right.length === 0 ? undefined : { left, right };
}

function conceptsOf({ words }: Thing): string[] {
  return words.map(({ concept }) => concept);
}
