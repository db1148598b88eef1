/** @throws RangeError for a range of another form than "^1.2.3", ">=1.2.3" and these with "||" between them. */
export function satisfies(version: string, range: string): boolean;
