import type { Random } from "../random.ts";
import { expand, type Grammar } from "./grammar.ts";

const RECORD_KEYS = [
  ["subject", "from", "to", "body"],
  ["title", "price", "rating", "review"],
  ["id", "author", "content"],
  ["name", "symbol", "decimals", "description"],
  ["file_name", "size", "owner", "content"],
  ["event", "start", "end", "participants", "description"],
  ["transaction_id", "amount", "recipient", "memo"],
  ["status", "message", "data"],
  ["user", "text", "likes"],
  ["hash", "from", "to", "value", "input"],
  ["number", "title", "state", "body"],
  ["url", "title", "snippet"],
  ["patient", "date", "notes"],
  ["product", "description", "seller"],
  ["node", "key", "value"],
  ["proposal", "title", "summary", "votes"],
  ["hotel", "rating", "reviews", "address"],
  ["channel", "sender", "message", "timestamp"],
] as const;
const TEXT_KEYS = /body|review|content|description|message|text|summary|memo|snippet|notes|value|data|title/;

/** Puts a text into one string field of a record as tools return them, among harmless fields. */
export function inRecord(text: string, grammar: Grammar, random: Random): string {
  const keys = random.pick(RECORD_KEYS);
  const textKeys = keys.filter((key) => TEXT_KEYS.test(key));
  const target = random.pick(textKeys.length > 0 ? textKeys : keys);
  const filler = () => expand(random.pick(["{record}", "{record}", "{human}", "{manual}"]), grammar, random);
  const fields = keys.map((key): [string, string | number] => {
    if (key === target) {
      const position = random.below(5);
      if (position === 0) return [key, `${filler()} ${text}`];
      if (position === 1) return [key, `${text} ${filler()}`];
      if (position === 2) return [key, `${filler()}\n${text}\n${filler()}`];
      return [key, text];
    }

    return [key, TEXT_KEYS.test(key) ? filler() : shortValue(key, grammar, random)];
  });

  return layOut(fields, grammar, random);
}

function shortValue(key: string, grammar: Grammar, random: Random): string | number {
  if (/id|size|likes|votes|decimals|number|rating/.test(key)) return random.below(10_000);
  if (/price|amount/.test(key)) return expand("{cents}", grammar, random);
  if (/date|start|end|timestamp/.test(key)) return expand("{date} {time}", grammar, random);
  if (/from|to|hash|input|recipient|node/.test(key))
    return expand(random.pick(["{mail}", "{address}", "{hash}"]), grammar, random);
  return expand(random.pick(["{name} {surname}", "{title}", "{status}", "{product}"]), grammar, random);
}

function layOut(fields: readonly [string, string | number][], grammar: Grammar, random: Random): string {
  const record = Object.fromEntries(fields);
  switch (random.below(7)) {
    case 0:
      return JSON.stringify(record, null, 2);
    case 1:
      return JSON.stringify({ result: [record], count: 1 });
    case 2:
      return fields.map(([key, value]) => `${key}: ${value}`).join("\n");
    case 3:
      return fields.map(([key, value]) => `- **${key}**: ${value}`).join("\n");
    case 4:
      return `<${fields[0]?.[0] ?? "item"}>\n${fields.map(([key, value]) => `<${key}>${value}</${key}>`).join("\n")}`;
    case 5:
      return `${fields.map(([key, value]) => `${key}=${value}`).join(" | ")}\n${expand("{record}", grammar, random)}`;
    default:
      return JSON.stringify(record);
  }
}

/** Puts a text between the sentences or lines of a longer one, now and then hidden in a comment. */
export function inDocument(text: string, document: string, random: Random): string {
  const hidden = random.below(12);
  const shown =
    hidden === 0 ? `<!-- ${text} -->` : hidden === 1 ? `[//]: # (${text})` : hidden === 2 ? `> ${text}` : text;
  const cuts = [0, document.length];
  for (const match of document.matchAll(/[.!?]\s|\n/g)) cuts.push(match.index + match[0].length);
  const cut = random.pick(cuts);
  const join = random.pick(["\n", "\n", " ", "\n\n"]);

  return `${document.slice(0, cut).trimEnd()}${join}${shown}${join}${document.slice(cut).trimStart()}`.trim();
}
