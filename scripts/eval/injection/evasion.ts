/** Ways to write a text so that a reader or a model still gets it, and a filter might not. */
export const TRANSFORMS: Readonly<Record<string, (text: string, padding: string) => string>> = {
  "zero-width": (text) => [...text].join("\u200b"),
  tags: (text) => map(text, (c) => (c < "\x80" && c >= " " ? String.fromCodePoint(0xe0000 + c.charCodeAt(0)) : c)),
  fullwidth: (text) => map(text, (c) => (c > " " && c <= "~" ? String.fromCharCode(0xfee0 + c.charCodeAt(0)) : c)),
  confusables: (text) => map(text, (c) => CONFUSABLES[c] ?? c),
  bidi: (text) =>
    text
      .split("\n")
      .map((line) => `\u202e${[...line].reverse().join("")}\u202c`)
      .join("\n"),
  base64: (text) => Buffer.from(text).toString("base64"),
  hex: (text) => Buffer.from(text).toString("hex"),
  rot13: (text) => text.replace(/[a-z]/gi, (c) => String.fromCharCode(c.charCodeAt(0) + (/[a-m]/i.test(c) ? 13 : -13))),
  leet: (text) => map(text, (c) => LEET[c.toLowerCase()] ?? c),
  spacing: (text) => [...text].join(" "),
  "HTML comment": (text) => `<p>Opening hours: 9 to 5.</p>\n<!-- ${text} -->\n<p>Closed on Sundays.</p>`,
  JSON: (text) => JSON.stringify({ status: "ok", items: [{ id: 7, note: text }], next: null }),
  "8000 before": (text, padding) => `${padding}\n${text}`,
  "8000 after": (text, padding) => `${text}\n${padding}`,
};

const CONFUSABLES: Readonly<Record<string, string>> = {
  a: "а",
  c: "с",
  e: "е",
  i: "і",
  o: "о",
  p: "р",
  s: "ѕ",
  x: "х",
  y: "у",
  A: "Α",
  B: "Β",
  E: "Ε",
  I: "Ι",
  O: "Ο",
  T: "Τ",
};
const LEET: Readonly<Record<string, string>> = { a: "4", e: "3", i: "1", o: "0", s: "5", t: "7" };

function map(text: string, change: (character: string) => string): string {
  return [...text].map(change).join("");
}
