/**
 * The first key that an object of a JSON text has twice, however it is escaped. `JSON.parse` keeps the last and says nothing.
 * @param text JSON that `JSON.parse` accepts. Read once from start to end.
 */
export function duplicateKeyIn(text: string): string | undefined {
  // The keys of every object that is open; null for a list.
  const open: (Set<string> | null)[] = [];
  let isKeyNext = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      const end = endOfString(text, at);
      const keys = open.at(-1);
      if (isKeyNext && keys) {
        const key: string = JSON.parse(text.slice(at, end));
        if (keys.has(key)) return key;
        keys.add(key);
      }
      isKeyNext = false;
      at = end - 1;
    } else if (character === "{") {
      open.push(new Set());
      isKeyNext = true;
    } else if (character === "[") {
      open.push(null);
      isKeyNext = false;
    } else if (character === "}" || character === "]") {
      open.pop();
      isKeyNext = false;
    } else if (character === ",") {
      isKeyNext = open.at(-1) !== null;
    }
  }

  return undefined;
}

/** Where a string that starts at `start` is over. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;

  return at + 1;
}
