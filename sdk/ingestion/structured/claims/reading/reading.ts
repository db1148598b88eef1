import { readable } from "../../../judge/procedures/readable.ts";
import type { Claim, Thing } from "../claim.ts";
import {
  ABOVE,
  ABSENCES,
  AMBIGUOUS,
  AUXILIARIES,
  BELOW,
  BREAKS,
  CONDITIONS,
  FUNCTION_WORDS,
  HEDGES,
  IGNORED_CONDITION,
  NEGATIONS,
  NEGATIVE_CONDITIONS,
  PREPOSITIONS,
  PRONOUNS,
  TRANSFERS,
  UNAFFECTED,
  UNIVERSAL,
  VERBS,
} from "../words/grammar.ts";
import { type Quantity, quantityAt } from "../words/quantity.ts";
import { isNamed, meaningOf, phraseAt } from "../words/words.ts";
import { ClauseBuilder, combined } from "./clause.ts";
import { finished } from "./draft.ts";
import {
  ATTRIBUTES,
  directionOf,
  isAfterArticle,
  isBaseForm,
  isBoundary,
  isNounHere,
  isStatement,
  looksLikeVerb,
  startsPredicate,
} from "./speech.ts";

const TOKEN = /\$|\d[\d,]*(?:\.\d+)?(?:%|x\b)?|%|[\p{L}_][\p{L}\p{N}_]*(?:'[\p{L}]+)?|[.,;:!?()"—–→=<>/]/gu;
const ATTACHED_PREFIX = /\b(re|de|co|over|under|un|pre|anti|auto|mis)-(?=\p{Ll})/gu;
const EMPHASIS = /(?<![\p{L}\p{N}_])_{1,3}(\p{L}[^_\n]{0,200})_{1,3}(?![\p{L}\p{N}_])/gu;
const IDENTIFIER = /[a-z][A-Z]|[a-z\d]_|_[a-z\d]/;
const MAX_TOKENS = 320;
const MAX_CLAUSES = 40;

/**
 * The statements of one sentence. `before`: the subject of the statement before, which "it" and "their" stand for. Questions and code
 * state nothing. Never throws; linear in the sentence, of which the first 320 words are read.
 */
export function claimsOfSentence(sentence: string, before: readonly Thing[] = []): Claim[] {
  const text = readable(sentence).replace(EMPHASIS, "$1").replace(ATTACHED_PREFIX, "$1").replaceAll("-", " ");
  const written = (text.match(TOKEN) ?? []).slice(0, MAX_TOKENS);
  if (!isStatement(sentence, written)) return [];

  const wording = written.join(" ").toLowerCase();
  const identifiers = written.filter((token) => IDENTIFIER.test(token));

  return new Reading(written, before).drafts.flatMap((draft) => finished(draft, { sentence, wording, identifiers }));
}

/** A word where it stands. */
type Place = { token: string; previous: string; next: string; at: number };

/** Reads a sentence once, from left to right. Each step answers how many tokens it took; undefined where they are not its business. */
class Reading {
  readonly #written: readonly string[];
  readonly #tokens: readonly string[];
  readonly #clause: ClauseBuilder;

  constructor(written: readonly string[], before: readonly Thing[]) {
    this.#written = written;
    this.#tokens = written.map((token) => token.toLowerCase().replace(/'s$/, ""));
    this.#clause = new ClauseBuilder(before);
    let at = 0;
    while (at < this.#tokens.length && this.drafts.length < MAX_CLAUSES) at += this.#read(at);
    this.#clause.endClause();
  }

  get drafts() {
    return this.#clause.drafts;
  }

  #read(at: number): number {
    const [previous = "", token = "", next = ""] = [this.#tokens[at - 1], this.#tokens[at], this.#tokens[at + 1]];
    const place = { token, previous, next, at };

    return (
      this.#punctuation(place) ??
      this.#known(place) ??
      this.#denial(place) ??
      this.#effect(place) ??
      this.#comparison(place) ??
      this.#joint(place) ??
      this.#direction(place) ??
      this.#particle(place) ??
      this.#verb(place) ??
      this.#content(place)
    );
  }

  #punctuation({ token, next, at }: Place): number | undefined {
    if (!/^[^\p{L}\p{N}_$]$/u.test(token)) return undefined;

    const clause = this.#clause;
    clause.endChunk();
    clause.pending = undefined;
    if (/^[;:—–→]$/.test(token)) clause.endClause();
    else if (token === "," && clause.role === "condition") clause.role = clause.draft.hasVerb ? "object" : "subject";
    else if (token === "," && next === "and" && startsPredicate(this.#tokens[at + 2])) clause.endClause();

    return 1;
  }

  /** Phrases of the lexicon, and quantities. */
  #known({ at }: Place): number | undefined {
    const phrase = phraseAt(this.#tokens, at);
    if (phrase !== undefined) {
      this.#clause.addWord(this.#tokens.slice(at, at + phrase.length).join(" "), phrase.meaning);
      return phrase.length;
    }
    const measured = quantityAt(this.#tokens, at);
    if (measured === undefined) return undefined;

    this.#clause.endChunk();
    if (this.#isStated(measured.quantity)) this.#clause.draft.quantities.push(measured.quantity);

    return measured.length;
  }

  /** Whether a number is what the statement says of its subject; not "5 mg tablets are", nor the "4." that numbers a list. */
  #isStated({ unit, bound }: Quantity): boolean {
    return bound !== "exactly" || (this.#clause.role === "object" && unit !== "");
  }

  /** What is denied, is not there, or does not matter. */
  #denial({ token, next, at }: Place): number | undefined {
    const clause = this.#clause;
    if (UNIVERSAL.has(token)) clause.draft.isUniversal = true;
    if (HEDGES.has(token)) clause.draft.isHedged = true;

    if (token === "not" && next === "only") return 2;
    if (token === "no" && (next === "longer" || next === "more")) {
      clause.deny();
      return 2;
    }
    if (NEGATIONS.has(token) || /^(?:nothing|nobody|none)$/.test(token)) {
      clause.deny();
      return 1;
    }
    if (token === "no" && next === "matter") {
      clause.disregard();
      return 2;
    }
    if (token === "whether" && next === "or" && this.#tokens[at + 2] === "not") {
      clause.disregard();
      clause.role = "condition";
      return 3;
    }
    if (IGNORED_CONDITION.has(token) && !(token === "independently" && next !== "of")) {
      clause.disregard();
      return 1;
    }
    if (token === "free" && clause.chunk.length > 0) {
      clause.pending = 0;
      clause.endChunk();
      return 1;
    }
    if (!ABSENCES.has(token) && !(token === "free" && /^(?:of|from)$/.test(next))) return undefined;

    clause.endChunk();
    clause.pending = 0;

    return token === "free" ? 2 : 1;
  }

  /** "is unaffected by", "depends on". */
  #effect({ token }: Place): number | undefined {
    const effect = UNAFFECTED.has(token) ? "none" : AMBIGUOUS.has(token) ? "either" : undefined;
    if (effect === undefined) return undefined;

    this.#clause.endChunk();
    this.#clause.draft.effect = effect;
    this.#clause.toObject();

    return 1;
  }

  /** "more than", "below", "at least". */
  #comparison({ token, next, at }: Place): number | undefined {
    if (/^(?:at|up)$/.test(token) && /^(?:least|most|to)$/.test(next)) {
      this.#clause.endChunk();
      return 2;
    }
    const isThan = next === "than";
    const taken = isThan ? 2 : 1;
    const isAbove = isThan ? /^(?:more|greater|higher|larger)$/.test(token) : ABOVE.has(token);
    const isBelow = isThan ? /^(?:less|fewer|lower|smaller)$/.test(token) : BELOW.has(token);
    if ((!isAbove && !isBelow) || (!isThan && !this.#isComparison(token, at))) return undefined;

    this.#clause.compare(isAbove ? 1 : -1, this.#isNumber(at + taken));

    return taken;
  }

  /** "below 1", "above its peg"; not "the examples below", "under load". */
  #isComparison(token: string, at: number): boolean {
    if (this.#isNumber(at + 1)) return true;
    if (/^(?:over|under|past)$/.test(token)) return false;
    const next = this.#tokens[at + 1] ?? "";

    return /^\p{L}/u.test(next) && !AUXILIARIES.has(next) && !PREPOSITIONS.has(next) && !/^(?:and|we)$/.test(next);
  }

  #isNumber(at: number): boolean {
    return this.#tokens[at] === "$" || quantityAt(this.#tokens, at) !== undefined;
  }

  /** Where a condition, another statement or another thing starts. */
  #joint({ token, previous, next, at }: Place): number | undefined {
    const clause = this.#clause;
    const isSimile = token === "as" && /^(?:such|well|known|same|acts?|serves?|used|long|soon|as)$/.test(previous);
    const isCondition = CONDITIONS.has(token) && !isSimile;
    if (isCondition || NEGATIVE_CONDITIONS.has(token)) {
      clause.endChunk();
      clause.role = "condition";
      clause.pending = isCondition ? undefined : -1;
      return 1;
    }
    if (BREAKS.has(token)) {
      clause.endClause();
      return 1;
    }
    if (token !== "and" && token !== "or") return undefined;

    clause.endChunk();
    const after = /^(?:also|then|thus|so)$/.test(next) ? this.#tokens[at + 2] : next;
    if (clause.draft.hasVerb && startsPredicate(after)) clause.endClause();
    else clause.pending = clause.carried;

    return 1;
  }

  /** What makes more or less of a thing: of the one that follows, or of the one before where none follows. */
  #direction({ token, previous, next }: Place): number | undefined {
    const direction = directionOf(token, next);
    if (direction === undefined) return undefined;

    const clause = this.#clause;
    const isNoun = clause.chunk.length > 0 && next === "of";
    clause.endChunk();
    if (isNoun) return 1;
    if (/^(?:lose|loses|losing|lost)$/.test(token) && isBoundary(next)) return this.#loss(token);

    clause.draft.directions += 1;
    const isVerb = !PREPOSITIONS.has(previous) && !/^(?:the|a|an)$/.test(previous);
    if (clause.draft.things.length > 0 && isVerb) clause.toObject();
    if (clause.hasNoSubject && clause.pending === undefined) {
      if (isBaseForm(token)) clause.draft.isAdvice = true;
      else if (this.drafts.length > 0 && /s$/.test(token) && token !== "less") clause.takeUp();
    }
    if (isBoundary(next)) {
      clause.directBack(direction);
      clause.pending = undefined;
    } else {
      clause.isPendingAttribute = ATTRIBUTES.has(token) || isAfterArticle(previous);
      clause.pending = combined(clause.pending ?? 1, direction);
    }

    return 1;
  }

  /** "and loses in crashes". */
  #loss(token: string): number {
    if (this.#clause.hasNoSubject) this.#clause.inherit();
    this.#clause.toObject();
    this.#clause.addWord(token, meaningOf("loss"));
    this.#clause.endChunk();

    return 1;
  }

  /** Pronouns, prepositions, auxiliaries. */
  #particle({ token }: Place): number | undefined {
    const clause = this.#clause;
    if (PRONOUNS.has(token)) {
      clause.endChunk();
      if (clause.hasNoSubject) clause.inherit();
      return 1;
    }
    if (token === "of" && clause.chunk.length > 0) return 1;
    const isOfRisk = clause.role !== "subject" && clause.chunk.at(-1)?.concept === "risk";
    if (isOfRisk && /^(?:to|from|against|of)$/.test(token)) return 1;
    if (PREPOSITIONS.has(token)) {
      clause.endChunk();
      if (/^(?:from|against|to)$/.test(token)) clause.governed = clause.riskBefore();
      clause.draft.marks.push({ word: token, at: clause.draft.things.length });
      return 1;
    }
    if (!AUXILIARIES.has(token)) return undefined;

    clause.endChunk();
    if (clause.hasNoSubject && this.drafts.length > 0) clause.inherit();
    if (clause.draft.things.length > 0) clause.toObject();

    return 1;
  }

  #verb({ token, previous, next }: Place): number | undefined {
    const clause = this.#clause;
    const side = TRANSFERS.get(token);
    const isPurpose = previous === "to" && !clause.draft.hasVerb && clause.draft.things.length > 0;
    const hasSubject = clause.chunk.length > 0 || clause.draft.things.length > 0;
    const isGuessed = hasSubject && looksLikeVerb(token, { previous, next, isFirst: !clause.draft.hasVerb });
    if (side === undefined && !VERBS.has(token) && !isGuessed) return undefined;
    if (isPurpose || isNounHere(previous, next)) return undefined;

    clause.endChunk();
    if (!clause.hasNoSubject) clause.toObject();
    else if (isBaseForm(token)) clause.draft.isAdvice = true;
    else clause.takeUp();
    if (side !== undefined && clause.draft.verb === undefined) {
      const isPassive = /^(?:is|are|be|been|being|was|were)$/.test(previous);
      clause.draft.verb = { word: token, at: clause.draft.things.length, isPassive };
    }
    clause.addWord(token, meaningOf(token));
    clause.endChunk();

    return 1;
  }

  #content({ token, at }: Place): number {
    if (FUNCTION_WORDS.has(token)) this.#clause.endChunk();
    else this.#clause.addWord(token, meaningOf(token), isNamed(this.#written[at] ?? "", at === 0));

    return 1;
  }
}
