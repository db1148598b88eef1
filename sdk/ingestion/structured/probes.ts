import type { Probe } from "../ports.ts";
import type { Claim } from "./claims/claim.ts";
import { relateClaims } from "./claims/relating/relate.ts";

/** At most this many sentences of the candidate are asked about; the ones most at odds with what is known come first. */
const MOST_CANDIDATE_PROBES = 24;
const MOST_NEIGHBOUR_PROBES = 2;
const LONGEST_PROBE = 1_200;

type Rated = { sentence: string; conflict: number; support: number; at: number };

/**
 * The sentences both paths are asked about. Every statement of the candidate is compared with every statement of its neighbours first,
 * so that padding cannot push a bad sentence out: conflicts come first, then what is supported, then the rest in order.
 */
export function probesOf(candidate: readonly Claim[], neighbours: readonly (readonly Claim[])[]): Probe[] {
  const distinct = bySentence(candidate);
  const known = neighbours.map((claims) => [...claims]);
  const own = [...distinct].map(([sentence, claims], at) => rated(sentence, claims, known.flat(), at));
  const probes: Probe[] = own
    .sort(mostAtOdds)
    .slice(0, MOST_CANDIDATE_PROBES)
    .map(({ sentence }) => ({ sentence, of: "candidate" }));
  for (const claims of known.slice(0, MOST_NEIGHBOUR_PROBES)) {
    const theirs = [...bySentence(claims)].map(([sentence, said], at) => rated(sentence, said, candidate, at));
    for (const { sentence } of theirs.sort(mostAtOdds).slice(0, MOST_NEIGHBOUR_PROBES)) {
      if (!probes.some((probe) => probe.sentence === sentence)) probes.push({ sentence, of: "neighbour" });
    }
  }

  return probes;
}

function bySentence(claims: readonly Claim[]): Map<string, Claim[]> {
  const sentences = new Map<string, Claim[]>();
  for (const claim of claims) {
    const sentence = claim.sentence.slice(0, LONGEST_PROBE);
    const known = sentences.get(sentence);
    if (known === undefined) sentences.set(sentence, [claim]);
    else known.push(claim);
  }

  return sentences;
}

function rated(sentence: string, claims: readonly Claim[], others: readonly Claim[], at: number): Rated {
  let [conflict, support] = [0, 0];
  for (const claim of claims) {
    for (const other of others) {
      const { stance, strength } = relateClaims(claim, other);
      if (stance === "contradicts") conflict = Math.max(conflict, strength);
      if (stance === "supports") support = Math.max(support, strength);
    }
  }

  return { sentence, conflict, support, at };
}

function mostAtOdds(a: Rated, b: Rated): number {
  return b.conflict - a.conflict || b.support - a.support || a.at - b.at;
}
