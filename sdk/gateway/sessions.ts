import { PiiDeidentifier } from "../safety/pii/mask/deidentifier.ts";
import { createPiiScanner } from "../safety/pii/scan.ts";

/** One conversation of one agent: what was masked in it. */
export type Session = {
  /** Of the agent and the name it gave the conversation; of one request where it gave none. */
  id: string;
  deidentifier: PiiDeidentifier;
  /** Whether anything has been masked: where nothing was, nothing is to be put back. */
  hasMasked: boolean;
};

/** How many conversations are kept, and for how long. */
export type SessionLimits = { perKey: number; idleMs: number };

type Kept = Session & { key: string; usedAt: number };

/** Of all keys together. */
const MOST_SESSIONS = 10_000;
/** Characters that one conversation's vault may hold: some ten thousand addresses. */
const MOST_HELD = 1_000_000;

/** The conversations under way, in memory. No two agents have one in common, and none ends another's by having many. */
export class Sessions {
  readonly #ownWallets: readonly string[];
  readonly #limits: SessionLimits;
  readonly #clock: () => number;
  readonly #scanner = createPiiScanner();
  /** By their ids; the one used last stands last, here and below. */
  readonly #named = new Map<string, Kept>();
  readonly #idsOf = new Map<string, Set<string>>();

  /** @param clock milliseconds */
  constructor(ownWallets: readonly string[], limits: SessionLimits, clock: () => number = Date.now) {
    this.#ownWallets = ownWallets;
    this.#limits = limits;
    this.#clock = clock;
  }

  /** A conversation of one request: the whole of it comes with every request, with its values put back. */
  once(requestId: string): Session {
    return { id: requestId, deidentifier: this.scratch(), hasMasked: false };
  }

  /** The conversation that this key calls by this name: a new one where it has not been used for too long. */
  named(key: string, name: string): Session {
    const now = this.#clock();
    for (const { id, usedAt } of this.#named.values()) {
      if (now - usedAt < this.#limits.idleMs) break;
      this.#forget(id);
    }
    // Neither has the character in between.
    const id = `${key}\n${name}`;
    const session = this.#named.get(id) ?? { id, key, deidentifier: this.#vault(), hasMasked: false, usedAt: now };
    session.usedAt = now;
    this.#forget(id);
    this.#named.set(id, session);
    const own = this.#idsOf.get(key) ?? new Set();
    this.#idsOf.set(key, own.add(id));
    if (own.size > this.#limits.perKey) this.#forgetFirst(own);
    if (this.#named.size > MOST_SESSIONS) this.#forgetFirst(this.#largest());

    return session;
  }

  /** A vault for texts that are looked at and not sent. */
  scratch(): PiiDeidentifier {
    return new PiiDeidentifier({ scanner: this.#scanner, ownWallets: this.#ownWallets });
  }

  #vault(): PiiDeidentifier {
    return new PiiDeidentifier({ scanner: this.#scanner, ownWallets: this.#ownWallets, limit: MOST_HELD });
  }

  #largest(): Set<string> {
    return [...this.#idsOf.values()].reduce((largest, own) => (own.size > largest.size ? own : largest));
  }

  #forgetFirst(ids: ReadonlySet<string>): void {
    const [first] = ids;
    if (first !== undefined) this.#forget(first);
  }

  #forget(id: string): void {
    const session = this.#named.get(id);
    if (session === undefined) return;
    this.#named.delete(id);
    const own = this.#idsOf.get(session.key);
    own?.delete(id);
    if (own?.size === 0) this.#idsOf.delete(session.key);
  }
}
