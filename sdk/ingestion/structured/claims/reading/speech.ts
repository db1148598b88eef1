import type { Direction } from "../claim.ts";
import {
  ABOVE,
  AUXILIARIES,
  BASE_VERBS,
  BELOW,
  BREAKS,
  CONDITIONS,
  DOWN,
  GONE,
  NEGATIONS,
  PREPOSITIONS,
  TRANSFERS,
  UP,
  VERBS,
} from "../words/grammar.ts";
import { isUnknown } from "../words/words.ts";

export const ATTRIBUTES: ReadonlySet<string> = new Set(
  "high low large small big deep thin strong weak narrow wide tight dry rich scarce extra maximum minimum minimal abundant huge little short shallow heavy more less fewer most least higher lower larger smaller greater bigger deeper wider narrower tighter thinner longer shorter stronger weaker highest lowest largest smallest".split(
    " ",
  ),
);

export function isAfterArticle(previous: string): boolean {
  return /^(the|a|an|this|its|their|any|each|of|with|in|at)$/.test(previous);
}

export function directionOf(token: string, next: string): Direction | undefined {
  if (GONE.has(token)) return 0;
  // "diversifies away", "hedged away".
  if (DOWN.has(token) || (next === "away" && /^(?:diversif|hedg|arbitrag|melt|fad|strip|wip|burn)/.test(token)))
    return -1;

  return UP.has(token) ? 1 : undefined;
}

export function isBoundary(token: string): boolean {
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

export function startsPredicate(token: string | undefined): boolean {
  if (token === undefined) return false;

  return (
    VERBS.has(token) ||
    AUXILIARIES.has(token) ||
    TRANSFERS.has(token) ||
    NEGATIONS.has(token) ||
    (/(s|ed)$/.test(token) && (UP.has(token) || DOWN.has(token) || GONE.has(token)))
  );
}

export function isBaseForm(token: string): boolean {
  return (
    !/(s|ed|ing|er|est)$/.test(token) &&
    !/^(more|less|high|low|large|small|big|deep|thin|most|least|strong|weak|narrow|wide|tight|dry|rich|scarce|extra|maximum|minimum|minimal|abundant|upward|downward|huge|little|short|shallow|heavy)$/.test(
      token,
    )
  );
}

const ADVERB = /^(?:always|never|often|usually|sometimes|generally|typically|also|only|normally|automatically)$/;
const STARTS_OBJECT = /^(?:a|an|the|its|their|no|any|all|every|each|both|another)$/;

/**
 * Unknown verbs, by what stands around them: "hides a swap", "searchers profit from", "always meets redemptions", "the fund covers
 * losses". `isFirst`: the statement has no verb yet.
 */
export function looksLikeVerb(
  token: string,
  { previous, next, isFirst }: { previous: string; next: string; isFirst: boolean },
): boolean {
  const isAfterPlural = /[^s]s$/.test(previous);
  const isBeforeVerb = startsPredicate(next) || AUXILIARIES.has(next);
  if (BASE_VERBS.has(token)) return isAfterPlural;
  if (!isUnknown(token) || isBeforeVerb) return false;
  if (ADVERB.test(previous)) return isFirst;
  const isBeforeObject = STARTS_OBJECT.test(next) || UP.has(next) || DOWN.has(next);
  if (isAfterPlural) return isFirst && !token.endsWith("s") && isBeforeObject;

  return (
    /[^suoi]s$/.test(token) && (isBeforeObject || (isFirst && /^\p{L}{4,}$/u.test(next) && !PREPOSITIONS.has(next)))
  );
}

/** "the fee trades pay", "a trade": a word that is a verb elsewhere. */
export function isNounHere(previous: string, next: string): boolean {
  return (
    /^(?:the|a|an|each|every|any|no|this|its|their|of|per|for|with|more|less|higher|lower|swap|token|vault|lp)$/.test(
      previous,
    ) && !/^(?:the|a|an)$/.test(next)
  );
}

const CODE = /[{}<>]{2}|>>>|=>|==|::|\w\(|[\w)]\s*=\s*[\w("'[]|0x[0-9a-f]{8}|https?:|\$[A-Z_]{2}|;\s*$/i;
const DESCRIBES_FUNCTION =
  /^(?:returns?|reverts?|calls?|emits?) (?:the|a|an|true|false|if|when|whether|with|all|this)\b|^(?:callable|called|getter|setter)\b/i;
const PLAIN_WORD = /^["'(*_`]*\p{L}[\p{Ll}'-]*(?:[")*_`]["')*_`]*)?[.,;:!]?$/u;
const RUN_OF_PROSE = 5;
const SHARE_OF_LETTERS = 0.6;
const FEWEST_WORDS = 3;

/**
 * Questions, code and bare tables state nothing; nor does "Returns the amount ...", which describes a function. A sign of code or a row of
 * numbers beside prose hides nothing of it.
 */
export function isStatement(sentence: string, written: readonly string[]): boolean {
  if (written.length < FEWEST_WORDS || written.at(-1) === "?" || DESCRIBES_FUNCTION.test(sentence)) return false;
  let letters = 0;
  for (const token of written) if (/^\p{L}/u.test(token)) letters += 1;
  const isOther = CODE.test(sentence) || letters < SHARE_OF_LETTERS * written.length;

  return !isOther || isProse(sentence);
}

/** Several plain words on end, or mostly plain words. */
function isProse(sentence: string): boolean {
  const pieces = sentence.split(/\s+/);
  let [run, longest, plain] = [0, 0, 0];
  for (const piece of pieces) {
    const isPlain = PLAIN_WORD.test(piece);
    run = isPlain ? run + 1 : 0;
    longest = Math.max(longest, run);
    if (isPlain) plain += 1;
  }

  return longest >= RUN_OF_PROSE || (plain >= RUN_OF_PROSE && plain > SHARE_OF_LETTERS * pieces.length);
}
