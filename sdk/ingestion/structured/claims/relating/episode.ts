/** Verbs that tell what happened once, unless a form of "be" makes them what is done in general ("is paid"). */
const HAPPENED = new Set(
  (
    "rose fell grew went stood came took paid earned lost gained saw dropped moved closed opened traded doubled halved recovered ended " +
    "reached hit peaked averaged increased decreased declined climbed jumped widened narrowed changed stayed remained started began"
  ).split(" "),
);
const TOLD = new Set(["was", "were", "had", "did"]);
const BE = new Set(["is", "are", "be", "been", "being", "gets", "get", "has", "have", "having", "can", "must", "may"]);
const WHEN =
  /\b(?:today|yesterday|tonight|so far|(?:this|that|last|past|previous) (?:hour|day|night|week|month|quarter|year|run|trade|check|time|epoch|block|session)|over the last|in the last|at the (?:time|open|close)|at block \d|ago)\b/;

/**
 * Whether a sentence tells of one occasion and not of a rule. Two occasions do not contradict each other, and one does not contradict a
 * rule: what differs in amount or direction is another day.
 */
export function isEpisode(sentence: string): boolean {
  const plain = sentence.toLowerCase();
  if (WHEN.test(plain)) return true;
  const words = plain.match(/[a-z]+/g) ?? [];

  return words.some(
    (word, at) =>
      TOLD.has(word) || (HAPPENED.has(word) && !BE.has(words[at - 1] ?? "") && !BE.has(words[at - 2] ?? "")),
  );
}
