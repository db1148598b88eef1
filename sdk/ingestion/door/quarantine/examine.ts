import type { EventSink } from "../../../core/events.ts";
import { isInflated } from "../../confidence.ts";
import { embedAll } from "../../embedding.ts";
import { type Channel, canonicalHash, type Rejection, type ReviewFlag, type Submission } from "../../entry.ts";
import { IngestionError } from "../../errors.ts";
import type { InjectionScreen, RegistryReader, ScreenVerdict } from "../../ports.ts";
import type { ImmuneMatch } from "../../store/immune/memory.ts";
import type { KnowledgeStore } from "../../store/open.ts";
import { type ProvenanceVerdict, verifyProvenance } from "./provenance.ts";

/** What peers say of content. */
export type PeerOpinion = {
  /** Whether any peer lists exactly this content as bad. */
  isKnownBad(canonicalHash: `0x${string}`): boolean;
  /** How many peers list content as bad that lies near this vector. */
  countSimilarBad(vector: Float32Array): number;
};

export type QuarantineParts = {
  store: KnowledgeStore;
  registries: readonly RegistryReader[];
  injection: InjectionScreen;
  peers?: PeerOpinion;
  emit?: EventSink;
};

/** An entry that may be kept, with all that could be found out before the store is asked. */
export type Seen = {
  submission: Submission;
  provenance: Exclude<ProvenanceVerdict, { outcome: "refused" }>;
  screened: ScreenVerdict;
  vector: Float32Array;
  flags: ReviewFlag[];
  immune?: ImmuneMatch;
};
export type Refused = { submission: Submission; rejection: Rejection };

/** Similar content is held against an entry from this many peers on: one peer could be wrong, or lie. */
const PEERS_TO_BELIEVE = 2;
/** Registry look-ups and signatures under way at once. */
const CONCURRENCY = 16;

/** Everything of stage one that asks others: the registry, the embedder, the injection screen, the Bloom oracle, immune memory. */
export async function examine(
  submissions: readonly Submission[],
  channel: Channel,
  parts: QuarantineParts,
): Promise<(Seen | Refused)[]> {
  const { store, injection } = parts;
  const registries = parts.registries.map(remembering);
  const receivedAt = Math.floor(store.clock.now() / 1_000);
  const verdicts = await mapLimited(submissions, (submission) =>
    verifyProvenance(submission, { registries, receivedAt }),
  );

  // Only what may be kept is worth an embedding: what is refused here teaches nothing.
  const vectors = await embedSome(
    store,
    submissions.map(({ content }, index) => (verdicts[index]?.outcome === "refused" ? undefined : content)),
  );

  return mapLimited(submissions, async (submission, index) => {
    const provenance = verdicts[index];
    const vector = vectors[index];
    if (provenance === undefined || provenance.outcome === "refused") {
      const rejection = provenance?.rejection ?? { code: "Unsigned", detail: "The entry was not examined." };

      return { submission, rejection };
    }
    if (vector === undefined) throw new IngestionError("EMBEDDING_INVALID", "An entry got no vector.");

    const screened = await screen(injection, submission.content);

    return { submission, provenance, screened, vector, ...flagsOf({ submission, channel, vector, screened }, parts) };
  });
}

/** The Bloom oracle first, immune memory next; neither rejects. */
function flagsOf(
  seen: { submission: Submission; channel: Channel; vector: Float32Array; screened: ScreenVerdict },
  { store, peers }: QuarantineParts,
): { flags: ReviewFlag[]; immune?: ImmuneMatch } {
  const { submission, channel, vector, screened } = seen;
  const { content, entryType, signed } = submission;
  const canonical = canonicalHash(content);
  const flags: ReviewFlag[] = [];
  if (store.knownBad.has(canonical) || peers?.isKnownBad(canonical)) flags.push("known_bad_content");
  if ((peers?.countSimilarBad(vector) ?? 0) >= PEERS_TO_BELIEVE) flags.push("known_bad_similar");
  const { confidenceBps } = signed;
  const appearance = { entryType, provenance: channel.provenance, confidenceBps, length: content.length, vector };
  const immune = store.immuneMemory.match(appearance);
  if (immune !== undefined) flags.push("previously_rejected_pattern");
  if (isInflated(channel, confidenceBps)) flags.push("confidence_inflated");
  if (screened.outcome === "flagged") flags.push("injection_suspected");
  if (screened.outcome === "unscreened") flags.push("injection_unscreened");

  return { flags, ...(immune && { immune }) };
}

/** A screen that fails has not screened. */
export async function screen(injection: InjectionScreen, content: string): Promise<ScreenVerdict> {
  try {
    return await injection.screen(content);
  } catch {
    return { outcome: "unscreened", reason: "Injection screening failed." };
  }
}

async function embedSome(
  { embedder }: KnowledgeStore,
  texts: readonly (string | undefined)[],
): Promise<(Float32Array | undefined)[]> {
  const vectors = await embedAll(
    embedder,
    texts.filter((text) => text !== undefined),
  );
  let next = 0;

  return texts.map((text) => (text === undefined ? undefined : vectors[next++]));
}

/** A registry that is asked once per agent and batch. */
export function remembering(registry: RegistryReader): RegistryReader {
  const wallets = new Map<bigint, ReturnType<RegistryReader["walletOf"]>>();

  return {
    chainId: registry.chainId,
    walletOf(agentId) {
      const wallet = wallets.get(agentId) ?? registry.walletOf(agentId);
      wallets.set(agentId, wallet);

      return wallet;
    },
    acceptsSignature: (wallet, digest, signature) => registry.acceptsSignature(wallet, digest, signature),
  };
}

async function mapLimited<T, R>(items: readonly T[], work: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += CONCURRENCY) {
    const group = items.slice(from, from + CONCURRENCY);
    results.push(...(await Promise.all(group.map((item, at) => work(item, from + at)))));
  }

  return results;
}
