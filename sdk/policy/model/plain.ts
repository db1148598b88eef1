/** Far above every list of a policy, and every depth. */
const MAX_ITEMS = 1_000;
const MAX_DEPTH = 6;

/** Stands for what could not be read: no rule accepts it. */
const UNREADABLE = Symbol("unreadable");

/**
 * A copy of what a caller passed that nothing can change any more: plain objects and lists of values, every property read once. What throws
 * when it is looked at, goes round in a circle or has more entries than any policy becomes something that no rule accepts.
 */
export function plainCopy(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return UNREADABLE;
  try {
    if (Array.isArray(value)) {
      // Holes are read like entries: an entry that is missing.
      return Array.from({ length: Math.min(value.length, MAX_ITEMS) }, (_, index) =>
        plainCopy(value[index], depth + 1),
      );
    }
    const keys = Object.keys(value).slice(0, MAX_ITEMS);

    return Object.fromEntries(keys.map((key) => [key, plainCopy((value as Record<string, unknown>)[key], depth + 1)]));
  } catch {
    return UNREADABLE;
  }
}
