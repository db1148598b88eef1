// Addresses in bytes: calldata, event data, raw transactions and blocks, contract code. All offsets are of hex digits in the text.

const WORD = 64;
const ADDRESS = 40;
const SELECTOR = 8;

/** How far calls may nest within calls. */
const DEEPEST = 8;

type Report = (start: number) => void;

/** What contracts begin with: compilers', minimal proxies', hand-written dispatchers. */
const CODE = /^(?:60(?:80|60|40|a0|c0|e0)60|363d3d37|3d602d80|3d60|5f3560|60003560)/i;
/** EIP-7702: what an account delegates to. */
const DELEGATION = /^ef0100[\da-f]{40}$/i;

/** Reports where addresses begin in a run of hex digits longer than a word, 0x not among them. */
export function findAddressesInBytes(text: string, start: number, end: number, report: Report): void {
  const head = text.slice(start, start + 46);
  if (end - start === 46 && DELEGATION.test(head)) {
    report(start + 6);
  } else if (CODE.test(head)) {
    findInCode(text, start, end, report);
  } else if (!findInRlp(text, start, end, report)) {
    findInBytes(text, start, end, report);
  }
}

/** Arguments after a selector, words, or either with something behind it. */
function findInBytes(text: string, start: number, end: number, report: Report): void {
  const budget = { left: DEEPEST * (end - start) };
  const surplus = (end - start) % WORD;
  if (surplus !== 0) findInWords(text, start + SELECTOR, end, report, budget, 0);
  if (surplus !== SELECTOR) findInWords(text, start, end, report, budget, 0);
}

function findInWords(
  text: string,
  start: number,
  end: number,
  report: Report,
  budget: { left: number },
  depth: number,
): void {
  budget.left -= end - start;
  for (let at = start; at + WORD <= end; at += WORD) {
    if (!isZero(text, at, 24)) continue;
    if (isAddress(text, at + 24)) {
      report(at + 24);
      continue;
    }
    if (!isZero(text, at + 24, 32) || depth === DEEPEST || budget.left <= 0) continue;
    // What may be a length, and behind it a call, or tokens and fees by turns.
    const length = Number.parseInt(text.slice(at + 56, at + WORD), 16);
    const from = at + WORD;
    const to = from + 2 * length;
    if (length < 20 || to > end) continue;
    if (length % 32 === 4) findInWords(text, from + SELECTOR, to, report, budget, depth + 1);
    else if (length % 23 === 20) for (let token = from; token + ADDRESS <= to; token += 46) report(token);
  }
}

/** Reads the constants that code pushes. */
function findInCode(text: string, start: number, end: number, report: Report): void {
  for (let at = start; at + 2 <= end; at += 2) {
    const opcode = byteAt(text, at);
    if (opcode < 0x60 || opcode > 0x7f) continue;
    const size = 2 * (opcode - 0x5f);
    const value = at + 2;
    if (size === ADDRESS && value + size <= end && isAddress(text, value)) report(value);
    if (size === WORD && value + size <= end && isZero(text, value, 24) && isAddress(text, value + 24))
      report(value + 24);
    at += size;
  }
}

/** Whether the run is one RLP list, alone or as a typed transaction; reports the addresses in it. */
function findInRlp(text: string, start: number, end: number, report: Report): boolean {
  const first = byteAt(text, start) <= 4 ? start + 2 : start;
  if (byteAt(text, first) < 0xc0 || contentOf(text, first, end)?.end !== end) return false;

  let at = first;
  while (at < end) {
    const content = contentOf(text, at, end);
    if (content === undefined) return true;
    const size = content.end - content.start;
    // A list is read on within it.
    at = content.isList ? content.start : content.end;
    if (content.isList || size < ADDRESS) continue;
    if (size === ADDRESS) report(content.start);
    else if (size > WORD && byteAt(text, content.start) <= 4 && byteAt(text, content.start + 2) >= 0xc0) {
      at = content.start + 2;
    } else if (size >= WORD) findInBytes(text, content.start, content.end, report);
  }

  return true;
}

type Content = { start: number; end: number; isList: boolean };

/** What an item of RLP holds; undefined where there is none. */
function contentOf(text: string, at: number, limit: number): Content | undefined {
  const first = byteAt(text, at);
  const isList = first >= 0xc0;
  const kind = isList ? first - 0xc0 : first - 0x80;
  if (kind < 0) return { start: at, end: at + 2, isList: false };
  const lengthSize = kind > 55 ? 2 * (kind - 55) : 0;
  const start = at + 2 + lengthSize;
  const length = kind > 55 ? Number.parseInt(text.slice(at + 2, start), 16) : kind;
  const end = start + 2 * length;

  return lengthSize <= 8 && end <= limit ? { start, end, isList } : undefined;
}

function byteAt(text: string, at: number): number {
  return Number.parseInt(text.slice(at, at + 2), 16);
}

function isZero(text: string, at: number, count: number): boolean {
  for (let index = at; index < at + count; index += 1) if (text.charCodeAt(index) !== 48) return false;

  return true;
}

/** Not a number, which begins with zeros, and not a mask of ones. */
function isAddress(text: string, at: number): boolean {
  return !isZero(text, at, 8) && !/^f{12}/i.test(text.slice(at, at + 12));
}
