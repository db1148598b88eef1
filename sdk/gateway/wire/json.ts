import { duplicateKeyIn } from "../../policy/author/duplicate-keys.ts";

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

/** What ES2026 adds to JSON, and every Node of `engines` has. */
type ExactJson = {
  rawJSON(source: string): number;
  parse(text: string, reviver: (name: string, value: unknown, context: { source?: string }) => unknown): Json;
};
const exact = JSON as unknown as ExactJson;

/** Whether a number comes out of JSON as it stood there. */
function isPlain(value: number, source: string): boolean {
  return String(value) === source;
}

/**
 * JSON with its numbers as they were written: 1.0 and numbers of twenty digits come out of `JSON.stringify` as they went in. A number that
 * JavaScript does not hold is an opaque object.
 * @throws SyntaxError for what is no JSON, nests too deep, or has a name twice in an object: readers differ on which one counts
 */
export function parseExactly(text: string): Json {
  try {
    const value = exact.parse(text, (_, item, { source }) =>
      typeof item === "number" && source !== undefined && !isPlain(item, source) ? exact.rawJSON(source) : item,
    );
    if (duplicateKeyIn(text) !== undefined) throw new SyntaxError("a name occurs twice");

    return value;
  } catch (error) {
    // A parser's message quotes what it could not read.
    if (error instanceof RangeError) throw new SyntaxError("nests too deep");
    throw new SyntaxError("is not JSON, or has a name twice");
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The objects of a list, with their places. */
export function objectsIn(value: Json | undefined): [index: number, item: JsonObject][] {
  const list = Array.isArray(value) ? value : [];

  return list.flatMap((item, index): [number, JsonObject][] => (isObject(item) ? [[index, item]] : []));
}
