import {
  ABOVE,
  ABSENCES,
  AMBIGUOUS,
  AUXILIARIES,
  BASE_VERBS,
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
import { isNamed, isUnknown, meaningOf, phraseAt, readable, type Word } from "./words.ts";

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

const TOKEN = /\$|\d[\d,]*(?:\.\d+)?(?:%|x\b)?|%|[\p{L}_][\p{L}\p{N}_]*(?:'[\p{L}]+)?|[.,;:!?()"—–→=<>/]/gu;
const ATTACHED_PREFIX = /\b(re|de|co|over|under|un|pre|anti|auto|mis)-(?=\p{Ll})/gu;
const MAX_TOKENS = 320;
const MAX_CLAUSES = 40;

type Draft = {
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
 * nothing. Never throws; linear in the sentence, of which the first 320 words are read.
 */
export function claimsOfSentence(sentence: string, before: readonly Thing[] = []): Claim[] {
  const text = readable(sentence).replace(ATTACHED_PREFIX, "$1").replaceAll("-", " ");
  const written = (text.match(TOKEN) ?? []).slice(0, MAX_TOKENS);
  if (written.length < 3 || !isStatement(sentence, written)) return [];

  const identifiers = written.filter((token) => IDENTIFIER.test(token));
  const wording = written.join(" ").toLowerCase();
  return new Reading(written, before).drafts.flatMap((draft) => finished(draft, { sentence, wording, identifiers }));
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
  #isPendingAttribute = false;
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
      if (this.#isStated(measured.quantity)) this.#draft.quantities.push(measured.quantity);
      return measured.length;
    }

    return this.#logic(token, next, at) ?? this.#direction(token, next, at) ?? this.#word(token, next, at);
  }

  /** Whether a number is what the statement says of its subject; not "5 mg tablets are", nor the "4." that numbers a list. */
  #isStated({ unit, bound }: Quantity): boolean {
    if (bound !== "exactly") return true;

    return this.#role === "object" && unit !== "";
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
    if (token === "whether" && next === "or" && this.#tokens[at + 2] === "not") {
      const taken = this.#disregard(3);
      this.#role = "condition";
      return taken;
    }
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
      return this.#compare(1, 2, at);
    if ((token === "less" || token === "fewer" || token === "lower" || token === "smaller") && next === "than")
      return this.#compare(-1, 2, at);
    const side = BELOW.has(token) ? -1 : ABOVE.has(token) ? 1 : undefined;
    if (side !== undefined && this.#isComparison(token, at)) return this.#compare(side, 1, at);
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

  /** "below 1", "more than the debt": on which side of what follows the thing before it is. */
  #compare(direction: 1 | -1, taken: number, at: number): number {
    this.#endChunk();
    const things = this.#draft.things;
    const last = things.at(-1);
    const isNumber = this.#tokens[at + taken] === "$" || quantityAt(this.#tokens, at + taken) !== undefined;
    if (isNumber && last !== undefined && last.direction === 1)
      things[things.length - 1] = { ...last, direction, stated: "moved" };
    if (!isNumber) this.#draft.marks.push({ word: "than", at: things.length, side: direction });
    this.#pending = undefined;

    return taken;
  }

  #direction(token: string, next: string, at: number): number | undefined {
    const direction = directionOf(token, next);
    if (direction === undefined) return undefined;

    if (/^(?:lose|loses|losing|lost)$/.test(token) && isBoundary(next)) {
      this.#endChunk();
      if (this.#draft.things.length === 0 && this.#role === "subject") this.#inherit();
      this.#toObject();
      this.#addWord(token, meaningOf("loss"), false);
      this.#endChunk();
      return 1;
    }
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
    } else {
      this.#isPendingAttribute = ATTRIBUTES.has(token) || isAfterArticle(previous);
      this.#pending =
        this.#pending === undefined || this.#pending === 1 ? direction : combined(this.#pending, direction);
    }

    return 1;
  }

  /** "fees rise": the direction is that of the thing before. */
  #directBack(direction: Direction): void {
    const things = this.#draft.things;
    const hasObject = things.some(({ role }) => role === "object");
    const at =
      this.#role === "condition"
        ? things.findLastIndex(({ role }) => role === "condition")
        : hasObject
          ? things.length - 1
          : things.findIndex(({ role }) => role === "subject");
    const thing = things[at];
    if (thing !== undefined)
      things[at] = { ...thing, direction: combined(thing.direction, direction), stated: "moved" };
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
    const isPurpose = this.#tokens[at - 1] === "to" && !this.#draft.hasVerb && this.#draft.things.length > 0;
    const isVerb = side !== undefined || VERBS.has(token) || this.#looksLikeVerb(token, next, at);
    if (isVerb && !isPurpose && !this.#isNounHere(at, next)) {
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

  /** "hides a swap", "searchers profit from": unknown verbs, by what stands around them. */
  #looksLikeVerb(token: string, next: string, at: number): boolean {
    if (this.#chunk.length === 0) return false;
    const previous = this.#tokens[at - 1] ?? "";
    const isAfterPlural = /[^s]s$/.test(previous);
    if (BASE_VERBS.has(token)) return isAfterPlural;

    return (
      /[^suoi]s$/.test(token) &&
      !isAfterPlural &&
      isUnknown(token) &&
      /^(?:a|an|the|its|their|no|any|all|every|each|both)$/.test(next)
    );
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
    const stated =
      this.#pending === undefined ? (governed?.stated ?? "named") : this.#isPendingAttribute ? "attribute" : "moved";
    this.#draft.things.push({
      words: [...(governed?.words ?? []), ...this.#chunk],
      direction,
      role: this.#role,
      stated,
    });
    this.#isPendingAttribute = false;
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

const ATTRIBUTES: ReadonlySet<string> = new Set(
  "high low large small big deep thin strong weak narrow wide tight dry rich scarce extra maximum minimum minimal abundant huge little short shallow heavy more less fewer most least higher lower larger smaller greater bigger deeper wider narrower tighter thinner longer shorter stronger weaker highest lowest largest smallest".split(
    " ",
  ),
);

function isAfterArticle(previous: string): boolean {
  return /^(the|a|an|this|its|their|any|each|of|with|in|at)$/.test(previous);
}

function directionOf(token: string, next: string): Direction | undefined {
  if (GONE.has(token)) return 0;
  // "diversifies away", "hedged away".
  if (DOWN.has(token) || (next === "away" && /^(?:diversif|hedg|arbitrag|melt|fad|strip|wip|burn)/.test(token)))
    return -1;

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

function finished(draft: Draft, written: Pick<Claim, "sentence" | "wording" | "identifiers">): Claim[] {
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
  const subject = things.slice(0, verb.at).findLast(({ role }) => role === "subject");
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
  return thing === undefined ? [] : conceptsOf(thing).filter((concept) => PARTIES.has(concept));
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
