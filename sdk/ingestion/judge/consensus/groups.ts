/** A group of a batch: positions of all members, and of the two that speak for it. */
export type Group = { members: number[]; medoid: number; farthest: number };

/**
 * Divides vectors of length 1 into at most `count` groups of what is alike. Centres are chosen farthest first (Gonzalez 1985), so no
 * member lies more than twice as far from its centre as the best choice could make it, and what stands apart becomes a group of its own;
 * the same vectors in the same order give the same groups.
 */
export function groupsOf(vectors: readonly Float32Array[], count: number): Group[] {
  if (vectors.length === 0) return [];
  const closest = vectors.map(() => ({ centre: 0, similarity: Number.NEGATIVE_INFINITY }));
  for (let centre = 0, next = 0; centre < Math.min(count, vectors.length); centre += 1) {
    for (const [index, vector] of vectors.entries()) {
      const similarity = dot(vector, vectors[next]);
      const known = closest[index];
      if (known !== undefined && similarity > known.similarity) closest[index] = { centre, similarity };
    }
    next = indexOfLeast(closest.map(({ similarity }) => similarity));
  }

  const members = new Map<number, number[]>();
  for (const [index, { centre }] of closest.entries()) members.set(centre, [...(members.get(centre) ?? []), index]);

  return [...members.values()].map((group) => spokenFor(vectors, group));
}

function spokenFor(vectors: readonly Float32Array[], members: number[]): Group {
  const sum = new Float32Array(vectors[0]?.length ?? 0);
  for (const member of members)
    vectors[member]?.forEach((number, at) => {
      sum[at] = (sum[at] ?? 0) + number;
    });
  const medoid = members[indexOfLeast(members.map((member) => -dot(sum, vectors[member])))] ?? 0;
  const farthest = members[indexOfLeast(members.map((member) => dot(vectors[medoid], vectors[member])))] ?? 0;

  return { members, medoid, farthest };
}

function indexOfLeast(values: readonly number[]): number {
  return values.reduce((best, value, index) => (value < (values[best] ?? 0) ? index : best), 0);
}

function dot(a: Float32Array | undefined, b: Float32Array | undefined): number {
  let sum = 0;
  for (let index = 0; index < (a?.length ?? 0); index += 1) sum += (a?.[index] ?? 0) * (b?.[index] ?? 0);

  return sum;
}
