import type { ServerResponse } from "node:http";
import { RequestRefused } from "../errors.ts";
import type { Room } from "../http/capacity.ts";
import { give, type Patience } from "../http/patience.ts";
import type { Screens } from "../screen/screens.ts";
import type { Session } from "../sessions.ts";
import { isObject, type JsonObject, parseExactly } from "../wire/json.ts";
import type { StreamSlot, Usage, Wire } from "../wire/wire.ts";
import { type RawEvent, readEvents, withData } from "./events.ts";
import { StreamRestorer } from "./restore.ts";
import { ThoughtWatch } from "./watch.ts";

const WARNING = ": X-Bardo-Injection-Warning: stream\n\n";

/** What the names of all texts begin with. */
const ALL = [""];

/** Texts of one stream: each is held back by itself. */
const MOST_TEXTS = 10_000;

type Streaming = {
  wire: Wire;
  session: Session;
  screens: Screens;
  pieces: AsyncIterable<Uint8Array>;
  response: ServerResponse;
  /** Whether usage was asked for in the client's place: then it is not told of it. */
  hidesUsage: boolean;
  /** For what is held of the stream. */
  room: Room;
  /** With the client. */
  patience: Patience;
  signal: AbortSignal;
  /** Is told once, when a thought repeats an injection. */
  onInjection(confidence: number): void;
  onUsage(usage: Partial<Usage>): void;
};

/** Passes a stream on: values are put back, and what the model thinks aloud is judged. The head is sent. Throws what breaks the stream. */
export async function passStream(streaming: Streaming): Promise<void> {
  const { wire, session, screens, response, hidesUsage, signal, onInjection, onUsage } = streaming;
  const restorer = new StreamRestorer(wire, session);
  const watch = new ThoughtWatch(screens.detector, signal);
  const texts = new Set<string>();
  let hasWarned = false;
  const send = async (text: string) => {
    if (watch.found !== undefined && !hasWarned) {
      hasWarned = true;
      onInjection(watch.found);
      await give(response, Buffer.from(WARNING), streaming);
    }
    if (text !== "") await give(response, Buffer.from(text), streaming);
  };
  for await (const raw of eventsOf(streaming)) {
    const event = parsed(raw);
    if (event === undefined) {
      const isComment = raw.data === undefined;
      if (!isComment) await watch.settle(ALL);
      await send((session.hasMasked && !isComment ? restorer.end(ALL).join("") : "") + raw.source);
      continue;
    }
    const usage = wire.streamUsage(event);
    if (usage !== undefined) onUsage(usage);
    const slots = wire.streamTexts(event);
    for (const { text } of slots) texts.add(text);
    if (texts.size > MOST_TEXTS) throw new RequestRefused("UPSTREAM_MALFORMED", "A stream has too many texts.");
    watch.push(slots);
    await watch.keepUp();
    const ended = wire.endedTexts(event);
    if (ended.length > 0) await watch.settle(ended);
    const own = hidesUsage ? wire.withoutUsage(raw, event) : raw;
    if (own === undefined) continue;
    await send(session.hasMasked ? restored(restorer, own, { event, slots, ended }) : own.source);
  }
  await watch.settle(ALL);
  await send(session.hasMasked ? restorer.end(ALL).join("") : "");
}

function restored(
  restorer: StreamRestorer,
  raw: RawEvent,
  { event, slots, ended }: { event: JsonObject; slots: readonly StreamSlot[]; ended: readonly string[] },
): string {
  const isChanged = restorer.pass(raw, slots);
  const source = isChanged ? withData(raw, JSON.stringify(event)) : raw.source;
  const rest = restorer.end(ended).join("");

  // A text that goes on in the event that ends it is over behind it.
  return slots.length === 0 ? rest + source : source + rest;
}

/** Undefined for comments and for what is no object, such as [DONE]. */
function parsed({ data }: RawEvent): JsonObject | undefined {
  if (data === undefined || data === "[DONE]") return undefined;
  try {
    const value = parseExactly(data);
    if (isObject(value)) return value;
  } catch {
    // Told below.
  }
  throw new RequestRefused("UPSTREAM_MALFORMED", "An event of the upstream's stream is not a JSON object.");
}

async function* eventsOf({ pieces, room }: Streaming): AsyncIterable<RawEvent> {
  try {
    // A character has up to two bytes.
    yield* readEvents(pieces, (characters) => room.holds(2 * characters));
  } catch (error) {
    if (error instanceof RangeError) throw new RequestRefused("ANSWER_TOO_LONG", "An event has no end.");
    throw error;
  }
}
