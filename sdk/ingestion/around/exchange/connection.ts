import type * as Ws from "ws";
import { requireOptional } from "../../../models/optional.ts";
import type { FilterExchange } from "./exchange.ts";
import { MAX_FRAME_BYTES } from "./frame.ts";

const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;
const HANDSHAKE_MS = 10_000;
/** Frames that wait to be checked; a relay that sends more is not listened to until they are. */
const MAX_WAITING = 256;

export type RelayOptions = {
  /** Address of the relay: `wss://...`. */
  url: string;
  exchange: FilterExchange;
  /** Told what went wrong; the connection goes on, and is made again when it was lost. */
  onFailure?: (error: unknown) => void;
};

/** The outbound connection over which filters come and go. It may fail at any time: then filters are as old as they are. */
export class RelayConnection {
  readonly #options: RelayOptions;
  readonly #ws: typeof Ws;
  #socket: Ws.WebSocket | undefined;
  #retry: NodeJS.Timeout | undefined;
  #retryMs = FIRST_RETRY_MS;
  #waiting = 0;
  #checking: Promise<void> = Promise.resolve();
  #isClosed = false;

  /**
   * Connects at once.
   * @throws OptionalPackageError without `ws`
   */
  constructor(options: RelayOptions) {
    this.#ws = requireOptional("ws", "policycage/ingestion") as typeof Ws;
    this.#options = options;
    this.#connect();
  }

  /** Sends this golem's filters as they are now; without a connection that happens when there is one. */
  async publish(): Promise<void> {
    const socket = this.#socket;
    if (socket?.readyState !== this.#ws.WebSocket.OPEN) return;
    try {
      for (const frame of await this.#options.exchange.frames()) socket.send(frame);
    } catch (error) {
      this.#fail(error);
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#socket?.close();
  }

  #connect(): void {
    const socket = new this.#ws.WebSocket(this.#options.url, {
      maxPayload: MAX_FRAME_BYTES,
      handshakeTimeout: HANDSHAKE_MS,
      perMessageDeflate: false,
    });
    this.#socket = socket;
    socket.binaryType = "nodebuffer";
    socket.on("open", () => {
      this.#retryMs = FIRST_RETRY_MS;
      void this.publish();
    });
    socket.on("message", (data) => {
      if (Buffer.isBuffer(data)) this.#check(data);
    });
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#connectLater());
  }

  /** One frame after the other: each costs a signature. */
  #check(frame: Buffer): void {
    if (this.#waiting >= MAX_WAITING) return;
    this.#waiting += 1;
    this.#checking = this.#checking.then(async () => {
      try {
        await this.#options.exchange.accept(frame);
      } catch (error) {
        this.#fail(error);
      } finally {
        this.#waiting -= 1;
      }
    });
  }

  #connectLater(): void {
    if (this.#isClosed) return;
    this.#retry = setTimeout(() => this.#connect(), this.#retryMs);
    this.#retry.unref();
    this.#retryMs = Math.min(LAST_RETRY_MS, this.#retryMs * 2);
  }

  #fail(error: unknown): void {
    this.#options.onFailure?.(error);
  }
}
