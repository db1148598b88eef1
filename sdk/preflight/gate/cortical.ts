/** How many signals there are at most; one 32-bit word each. */
const SIGNALS = 32;

const MOST = 2 ** 32 - 1;

/** Behind the signals: how many writes have begun, and how many have ended. */
const BEGUN = SIGNALS;
const ENDED = SIGNALS + 1;
const BYTES = (SIGNALS + 2) * 4;

/** Readings after which the last is taken for a moment's: a thread that died while it wrote must not stop those that read. */
const MOST_READINGS = 1_000;

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
  const words = new Uint32Array(shared);
  const places = new Map(names.map((name, index) => [name, index]));

  return {
    shared,
    set(name, value) {
      const place = places.get(name);
      if (place === undefined) throw new RangeError(`There is no signal ${name}.`);
      if (!Number.isInteger(value) || value < 0 || value > MOST) {
        throw new RangeError("A signal is an unsigned 32-bit number.");
      }
      Atomics.add(words, BEGUN, 1);
      Atomics.store(words, place, value);
      Atomics.add(words, ENDED, 1);
    },
    snapshot() {
      const read = () => names.map((name, index) => [name, Atomics.load(words, index)] as const);
      let values = read();
      for (let reading = 1; reading < MOST_READINGS; reading += 1) {
        const begun = Atomics.load(words, BEGUN);
        const isStill = Atomics.load(words, ENDED) === begun;
        values = read();
        if (isStill && Atomics.load(words, BEGUN) === begun) break;
      }

      return Object.fromEntries(values) as CorticalSnapshot<Name>;
    },
  };
}
