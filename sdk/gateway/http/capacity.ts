import { RequestRefused } from "../errors.ts";

/** What one request holds of a capacity. */
export type Share = {
  /** @throws RequestRefused OVER_CAPACITY, BUSY */
  take(amount: number): void;
  /** Gives all back. */
  release(): void;
};

const FULL = {
  OVER_CAPACITY: "The gateway holds as much of requests as it may at once.",
  BUSY: "The gateway answers as many requests as it may at once.",
} as const;

/** How much of requests and answers is held at once. No key has more than half, so that one cannot shut the others out. */
export class Capacity {
  readonly #most: number;
  readonly #code: keyof typeof FULL;
  readonly #keys = new Map<string, number>();
  #held = 0;

  /** @param code what is said where there is no more */
  constructor(most: number, code: keyof typeof FULL) {
    this.#most = most;
    this.#code = code;
  }

  share(key: string): Share {
    let own = 0;

    return {
      take: (amount) => {
        const ofKey = (this.#keys.get(key) ?? 0) + amount;
        if (this.#held + amount > this.#most || ofKey > Math.max(1, this.#most / 2)) {
          throw new RequestRefused(this.#code, FULL[this.#code]);
        }
        this.#keys.set(key, ofKey);
        this.#held += amount;
        own += amount;
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
