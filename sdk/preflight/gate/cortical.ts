/** How many signals there are at most; one 32-bit word each. */
const SIGNALS = 32;

const MOST = 2 ** 32 - 1;

/** Behind the signals: 1 while a thread writes or reads them. */
const LOCK = SIGNALS;
const BYTES = (SIGNALS + 1) * 4;

/** A thread that holds the lock for longer, or one that is passed over so often, goes on without it: a dead thread must stop nobody. */
const LONGEST_HELD_MS = 50;
const MOST_TRIES = 10_000;

/** What a golem perceives, at one moment: unsigned 32-bit numbers by name. */
export type CorticalSnapshot<Name extends string> = Readonly<Record<Name, number>>;

/**
 * A golem's perception: up to 32 named unsigned 32-bit signals in shared memory, which any of its threads may write. Soft: they warn,
 * and decide nothing.
 */
export type CorticalState<Name extends string> = {
  /** Hand it to another thread, and open it there by the same names. */
  readonly shared: SharedArrayBuffer;
  /** @throws RangeError for what is no unsigned 32-bit number. */
  set(name: Name, value: number): void;
  /** All signals as they stood at one moment. */
  snapshot(): CorticalSnapshot<Name>;
};

/**
 * Opens the signals, or makes them, all of them 0.
 * @throws RangeError for more than 32 names, none, a name that stands twice, or memory of another size
 */
export function openCorticalState<const Name extends string>(
  names: readonly Name[],
  shared: SharedArrayBuffer = new SharedArrayBuffer(BYTES),
): CorticalState<Name> {
  if (names.length === 0 || names.length > SIGNALS) throw new RangeError(`There are 1 to ${SIGNALS} signals.`);
  if (new Set(names).size < names.length) throw new RangeError("A signal is named twice.");
  if (shared.byteLength !== BYTES) throw new RangeError("This memory holds no signals.");
  const words = new Int32Array(shared);
  const places = new Map(names.map((name, index) => [name, index]));

  return {
    shared,
    set(name, value) {
      const place = places.get(name);
      if (place === undefined) throw new RangeError(`There is no signal ${name}.`);
      if (!Number.isInteger(value) || value < 0 || value > MOST) {
        throw new RangeError("A signal is an unsigned 32-bit number.");
      }
      locked(words, () => Atomics.store(words, place, value));
    },
    snapshot() {
      const read = () => names.map((name, index) => [name, Atomics.load(words, index) >>> 0] as const);

      return Object.fromEntries(locked(words, read)) as CorticalSnapshot<Name>;
    },
  };
}

function locked<Result>(words: Int32Array, work: () => Result): Result {
  for (let tries = 0; tries < MOST_TRIES && Atomics.compareExchange(words, LOCK, 0, 1) !== 0; tries += 1) {
    if (Atomics.wait(words, LOCK, 1, LONGEST_HELD_MS) === "timed-out") break;
  }
  try {
    return work();
  } finally {
    Atomics.store(words, LOCK, 0);
    Atomics.notify(words, LOCK, 1);
  }
}
