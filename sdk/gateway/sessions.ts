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

const MOST_SESSIONS = 10_000;

/** The conversations under way, in memory: the last ten thousand that were used. No two agents have one in common. */
export class Sessions {
  readonly #ownWallets: readonly string[];
  readonly #scanner = createPiiScanner();
  readonly #named = new Map<string, Session>();

  constructor(ownWallets: readonly string[]) {
    this.#ownWallets = ownWallets;
  }

  /** A conversation of one request: the whole of it comes with every request, with its values put back. */
  once(requestId: string): Session {
    return this.#create(requestId);
  }

  /** The conversation that this key calls by this name. */
  named(key: string, name: string): Session {
    // Neither has the character in between.
    const id = `${key}\n${name}`;
    const session = this.#named.get(id) ?? this.#create(id);
    // The latest stands last.
    this.#named.delete(id);
    this.#named.set(id, session);
    const [oldest] = this.#named.keys();
    if (this.#named.size > MOST_SESSIONS && oldest !== undefined) this.#named.delete(oldest);

    return session;
  }

  /** A vault for texts that are looked at and not sent. */
  scratch(): PiiDeidentifier {
    return new PiiDeidentifier({ scanner: this.#scanner, ownWallets: this.#ownWallets });
  }

  #create(id: string): Session {
    return { id, deidentifier: this.scratch(), hasMasked: false };
  }
}
