import type { RestoreStream } from "../../safety/pii/mask/stream.ts";
import type { Session } from "../sessions.ts";
import { isObject, parseExactly } from "../wire/json.ts";
import { read, restoredAs, type StreamSlot, type Wire, write } from "../wire/wire.ts";
import type { RawEvent } from "./events.ts";
import type { EventNumbers } from "./numbers.ts";

/** A text under way, and the last event that went on with it. */
type Text = { stream: RestoreStream; last: RawEvent };

/** Puts values back into the texts of a stream, each by its name. */
export class StreamRestorer {
  readonly #wire: Wire;
  readonly #session: Session;
  readonly #numbers: EventNumbers;
  readonly #texts = new Map<string, Text>();

  constructor(wire: Wire, session: Session, numbers: EventNumbers) {
    this.#wire = wire;
    this.#session = session;
    this.#numbers = numbers;
  }

  /** Puts back what is certain by now into an event's texts; answers whether anything changed. */
  pass(event: RawEvent, slots: readonly StreamSlot[]): boolean {
    let isChanged = false;
    for (const slot of slots) {
      if (slot.encoding === "signed") continue;
      const before = read(slot);
      const after = slot.isWhole === true ? this.#whole(slot, before) : this.#textOf(slot, event).stream.push(before);
      if (after === before) continue;
      isChanged = true;
      write(slot, after);
    }

    return isChanged;
  }

  /** The events that give out what was held back of texts that are over: those whose names begin with one of these. */
  end(prefixes: readonly string[]): string[] {
    return [...this.#texts].flatMap(([name, { stream, last }]) => {
      if (!prefixes.some((prefix) => name.startsWith(prefix))) return [];
      this.#texts.delete(name);
      const rest = stream.end();

      return rest === "" ? [] : [this.#continued(last, name, rest)];
    });
  }

  #whole(slot: StreamSlot, text: string): string {
    const stream = this.#session.deidentifier.stream(restoredAs(slot));

    return stream.push(text) + stream.end();
  }

  #textOf(slot: StreamSlot, event: RawEvent): Text {
    const { text } = slot;
    const known = this.#texts.get(text);
    if (known !== undefined) {
      known.last = event;

      return known;
    }
    const begun = { stream: this.#session.deidentifier.stream(restoredAs(slot)), last: event };
    this.#texts.set(text, begun);

    return begun;
  }

  /** An event that goes on with a text as its last event did, with what is left of it. */
  #continued(last: RawEvent, name: string, rest: string): string {
    const event = parseExactly(last.data ?? "{}");
    const slot = isObject(event) ? this.#wire.streamTexts(event).find(({ text }) => text === name) : undefined;

    if (!isObject(event) || slot === undefined) return "";

    return this.#wire.continued(event, slot, rest, this.#numbers.between());
  }
}
