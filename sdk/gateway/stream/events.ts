/** One event of a stream as it came, with the line end after it. */
export type RawEvent = {
  source: string;
  /** What its data lines say, joined; undefined for comments. */
  data: string | undefined;
};

/** An event may hold a whole answer; one without end is refused. */
const MOST_CHARACTERS = 32_000_000;

/**
 * Events out of the pieces of a stream, however it is cut.
 * @param holds whether so many characters of an event may be held
 * @throws RangeError for an event without end
 */
export async function* readEvents(
  pieces: AsyncIterable<Uint8Array>,
  holds: (characters: number) => boolean = () => true,
): AsyncIterable<RawEvent> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let held = "";
  let searched = 0;
  for await (const piece of pieces) {
    held += decoder.decode(piece, { stream: true });
    for (;;) {
      const end = endOfEvent(held, searched);
      if (end === undefined) break;
      yield parse(held.slice(0, end));
      held = held.slice(end);
      searched = 0;
    }
    searched = Math.max(0, held.length - 3);
    if (held.length > MOST_CHARACTERS || !holds(held.length)) throw new RangeError("an event without end");
  }
  held += decoder.decode();
  if (held !== "") yield parse(held);
}

/** Where the first event is over: after an empty line. */
function endOfEvent(text: string, from: number): number | undefined {
  const empty = /\r\n\r\n|\n\n|\r\r(?!\n)/g;
  empty.lastIndex = from;

  return empty.exec(text) === null ? undefined : empty.lastIndex;
}

function parse(source: string): RawEvent {
  const lines = source.split(/\r\n|\n|\r/).flatMap((line) => (line.startsWith("data:") ? [line.slice(5)] : []));
  const data = lines.map((line) => (line.startsWith(" ") ? line.slice(1) : line)).join("\n");

  return { source, data: lines.length === 0 ? undefined : data };
}

/** The event with other data: its name and all else stay. */
export function withData({ source }: RawEvent, data: string): string {
  const lines = source.split(/\r\n|\n|\r/).filter((line) => line !== "");
  const first = lines.findIndex((line) => line.startsWith("data:"));
  const others = lines.filter((line) => !line.startsWith("data:"));
  others.splice(first, 0, `data: ${data}`);

  return `${others.join("\n")}\n\n`;
}
