import { RequestRefused } from "../errors.ts";

/** What one request holds of a capacity. */
export type Share = {
  /** @throws RequestRefused OVER_CAPACITY */
  take(bytes: number): void;
  /** Gives all back. */
  release(): void;
};

/** How many bytes of requests and answers are held at once. No key has more than half, so that one cannot shut the others out. */
export class Capacity {
  readonly #most: number;
  readonly #keys = new Map<string, number>();
  #held = 0;

  constructor(most: number) {
    this.#most = most;
  }

  share(key: string): Share {
    let own = 0;

    return {
      take: (bytes) => {
        const ofKey = (this.#keys.get(key) ?? 0) + bytes;
        if (this.#held + bytes > this.#most || ofKey > this.#most / 2) {
          throw new RequestRefused("OVER_CAPACITY", "The gateway holds as much of requests as it may at once.");
        }
        this.#keys.set(key, ofKey);
        this.#held += bytes;
        own += bytes;
      },
      release: () => {
        const ofKey = (this.#keys.get(key) ?? 0) - own;
        if (ofKey > 0) this.#keys.set(key, ofKey);
        else this.#keys.delete(key);
        this.#held -= own;
        own = 0;
      },
    };
  }
}
