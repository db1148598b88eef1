/** 95 % interval of a share, in percent (Wilson 1927). */
function wilson(hits: number, total: number): readonly [number, number] {
  if (total === 0) return [0, 100];
  const z = 1.96;
  const share = hits / total;
  const centre = share + (z * z) / (2 * total);
  const margin = z * Math.sqrt((share * (1 - share)) / total + (z * z) / (4 * total * total));
  const scale = 1 + (z * z) / total;
  return [Math.max(0, (100 * (centre - margin)) / scale), Math.min(100, (100 * (centre + margin)) / scale)];
}

/** A share with its interval: "12.3 [10.1-14.9]". */
export function withInterval(hits: number, total: number): string {
  const [low, high] = wilson(hits, total);
  return `${((100 * hits) / Math.max(1, total)).toFixed(1)} [${low.toFixed(1)}-${high.toFixed(1)}]`;
}

/** Probability that an attack scores above a harmless text, ties counted half. */
export function auc(attacks: readonly number[], harmless: readonly number[]): number {
  const all = [...attacks.map((score) => ({ score, attack: 1 })), ...harmless.map((score) => ({ score, attack: 0 }))];
  all.sort((a, b) => a.score - b.score);
  let ranks = 0;
  for (let i = 0; i < all.length; ) {
    let end = i;
    while (end < all.length && all[end]?.score === all[i]?.score) end++;
    const rank = (i + 1 + end) / 2;
    for (let j = i; j < end; j++) ranks += all[j]?.attack === 1 ? rank : 0;
    i = end;
  }
  return (ranks - (attacks.length * (attacks.length + 1)) / 2) / (attacks.length * harmless.length);
}

/** Percentile of a list, 0 <= share <= 1. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
