import { PolicyCageError } from "../core/errors.ts";

/** A value that was to be a text and is none. */
export class NotTextError extends PolicyCageError {
  override readonly name = "NotTextError";

  constructor() {
    super("The value is not a text.", {
      code: "NOT_TEXT",
      advice: "Pass a string: read what the value holds, such as the body of a response, before it is screened.",
    });
  }
}

/** The text. @throws NotTextError for any other value, whatever the types said. */
export function requireText(value: unknown): string {
  if (typeof value !== "string") throw new NotTextError();

  return value;
}

/** Whether a value is an object of names and values and nothing else: what JSON shows whole. */
export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);

  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** The text without the characters at its end that are among `characters`. An expression for it is quadratic in their number. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;

  return text.slice(0, end);
}
