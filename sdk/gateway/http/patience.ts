import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { RequestRefused } from "../errors.ts";

/** Bytes a second that a client reads or sends at least, on average, once its time of silence is used up. */
const LEAST_RATE = 16_384;

/** Bytes that are handed over at once: as many as a client may leave unread without being waited for. */
const SLICE = 16_384;

/** How long a client may take for so many bytes. Milliseconds. */
export function longestMs(silenceMs: number, bytes: number): number {
  return silenceMs + Math.ceil((bytes * 1_000) / LEAST_RATE);
}

/**
 * How long is waited for one client, in one direction: what it moves earns time, and what it is waited for takes it, of which there is never
 * more than its time of silence. So a byte now and then earns nothing, nor does a burst earn silence.
 */
export class Patience {
  readonly #silenceMs: number;
  #leftMs: number;

  constructor(silenceMs: number) {
    this.#silenceMs = silenceMs;
    this.#leftMs = silenceMs;
  }

  /** So many bytes came from the client, or went to it. */
  add(bytes: number): void {
    this.#earn(longestMs(0, bytes));
  }

  /**
   * What the client is waited for.
   * @param bytes what it has to move meanwhile
   * @throws RequestRefused CLIENT_TOO_SLOW
   */
  async wait<Result>(work: Promise<Result>, bytes = 0): Promise<Result> {
    const begun = performance.now();
    const earned = longestMs(0, bytes);
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<never>((_, reject) => {
      const tooSlow = () =>
        reject(new RequestRefused("CLIENT_TOO_SLOW", `The client moves under ${LEAST_RATE} bytes a second.`));
      timer = setTimeout(tooSlow, Math.max(0, this.#leftMs + earned));
    });
    try {
      return await Promise.race([work, over]);
    } finally {
      clearTimeout(timer);
      this.#earn(earned - (performance.now() - begun));
    }
  }

  #earn(ms: number): void {
    this.#leftMs = Math.min(this.#silenceMs, this.#leftMs + ms);
  }
}

/** Gives bytes of an answer as fast as the client reads. Rejects when it is gone, and cuts it off when it is too slow. */
export async function give(
  response: ServerResponse,
  bytes: Buffer,
  { patience, signal }: { patience: Patience; signal: AbortSignal },
): Promise<void> {
  for (let at = 0; at < bytes.length; at += SLICE) {
    signal.throwIfAborted();
    const slice = bytes.subarray(at, at + SLICE);
    if (response.write(slice)) {
      patience.add(slice.length);
      continue;
    }
    try {
      await patience.wait(once(response, "drain", { signal }), slice.length);
    } catch (error) {
      // Whoever does not read would not read why.
      if (error instanceof RequestRefused && error.code === "CLIENT_TOO_SLOW") response.destroy();
      throw error;
    }
  }
}
