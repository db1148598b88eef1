import { statSync } from "node:fs";
import process from "node:process";
import type { Consensus } from "../../ingestion/consensus/consensus.ts";
import type { Strictness } from "../../ingestion/entry.ts";
import type { Embedder, InjectionScreen, Reasoner, RegistryReader } from "../../ingestion/ports.ts";
import type { Quarantine } from "../../ingestion/quarantine/quarantine.ts";
import type { KnowledgeStore } from "../../ingestion/store/open.ts";
import { connect, isNodeGiven, type RpcOptions } from "./connection.ts";
import { BadInput } from "./failure.ts";
import { parseAddress } from "./values.ts";

export type KnowledgeOptions = RpcOptions & {
  store: string;
  registry?: string;
  reasonerUrl?: string;
  reasonerModel?: string;
  strictness?: Strictness;
};

/** Everything that takes knowledge in, opened: a store and the two stages before it. */
export type Knowledge = {
  store: KnowledgeStore;
  quarantine: Quarantine;
  consensus: Consensus;
  close(): Promise<void>;
};

const REASONER_KEY = "POLICYCAGE_REASONER_KEY";
/** A person waits longer than a trading loop. */
const SCREEN_TIMEOUT_MS = 60_000;

/**
 * Wires the ports of knowledge ingestion: models, node, reasoner, disk and clock.
 * @param onScreened Called once for each entry that is looked at.
 */
export async function openKnowledge(options: KnowledgeOptions, onScreened: () => void): Promise<Knowledge> {
  expectFolder(options.store);
  const reasoner = await reasonerOf(options);
  const registries = await registriesOf(options);
  const [
    { openKnowledgeStore },
    { Quarantine },
    { injectionScreen },
    { createInjectionDetector },
    { createLiteClassifier },
  ] = await Promise.all([
    import("../../ingestion/store/open.ts"),
    import("../../ingestion/quarantine/quarantine.ts"),
    import("../../ingestion/screen.ts"),
    import("../../safety/injection/detect.ts"),
    import("../../safety/injection/lite/lite.ts"),
  ]);
  const detector = createInjectionDetector({ classifier: createLiteClassifier(), timeoutMs: SCREEN_TIMEOUT_MS });
  const store = await openKnowledgeStore({ directory: options.store, embedder: await embedder(), clock: Date });

  return {
    store,
    quarantine: new Quarantine({ store, registries, injection: counted(injectionScreen(detector), onScreened) }),
    consensus: await consensusOf(store, { reasoner, floor: options.strictness }),
    async close() {
      store.close();
      await detector.close();
    },
  };
}

async function embedder(): Promise<Embedder> {
  const { liteEmbedder } = await import("../../ingestion/embedder/lite.ts");

  return liteEmbedder();
}

async function consensusOf(
  store: KnowledgeStore,
  { floor }: { reasoner: Reasoner | undefined; floor: Strictness | undefined },
): Promise<Consensus> {
  const [{ Consensus }, { EmbeddingAnomalyLayer }] = await Promise.all([
    import("../../ingestion/consensus/consensus.ts"),
    import("../../ingestion/consensus/embedding-anomaly.ts"),
  ]);

  return new Consensus({
    store,
    layers: [new EmbeddingAnomalyLayer(store)],
    claims: { isContested: async () => false, contradictions: () => [] },
    ...(floor !== undefined && { floor }),
  });
}

async function reasonerOf({ reasonerUrl, reasonerModel }: KnowledgeOptions): Promise<Reasoner | undefined> {
  if (reasonerUrl === undefined && reasonerModel === undefined) return undefined;
  if (reasonerUrl === undefined || reasonerModel === undefined) {
    throw new BadInput("A reasoner needs both --reasoner-url and --reasoner-model.");
  }
  const apiKey = process.env[REASONER_KEY];
  const { openAiReasoner } = await import("../../ingestion/reasoner/openai-compatible.ts");

  return openAiReasoner({
    baseUrl: reasonerUrl,
    model: reasonerModel,
    ...(apiKey !== undefined && apiKey !== "" && { apiKey }),
  });
}

/**
 * The registry of the node that is given. Of other networks that are known here nobody is asked: their entries wait in quarantine, since
 * refusing them would lose what another node can confirm.
 */
async function registriesOf(options: KnowledgeOptions): Promise<RegistryReader[]> {
  const { AGENT_REGISTRY, networks } = await import("../../../deploy/networks.ts");
  const known = Object.values(networks).map(({ chainId }) => chainId);
  const registry = options.registry === undefined ? undefined : parseAddress(options.registry, "--registry");
  if (!isNodeGiven(options)) {
    if (registry !== undefined) throw new BadInput("--registry needs a node to ask: name one with --rpc.");

    return known.map(unasked);
  }
  const client = await connect(options);
  const chainId = await client.getChainId();
  const address = registry ?? (known.includes(chainId) ? AGENT_REGISTRY : undefined);
  if (address === undefined) {
    throw new BadInput(`No registry of agents is known for chain ${chainId}: name its address with --registry.`);
  }
  const [{ erc8004Registry }, { defineChain }] = await Promise.all([
    import("../../ingestion/quarantine/registry.ts"),
    import("viem"),
  ]);
  const chain = defineChain({
    id: chainId,
    name: String(chainId),
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [] } },
  });

  return [
    erc8004Registry({ client: Object.assign(client, { chain }), address }),
    ...known.filter((other) => other !== chainId).map(unasked),
  ];
}

function unasked(chainId: number): RegistryReader {
  const nobody = () => Promise.reject(new Error("no node is set up"));

  return { chainId, walletOf: nobody, acceptsSignature: nobody };
}

function counted(screen: InjectionScreen, onScreened: () => void): InjectionScreen {
  return {
    async screen(text) {
      const verdict = await screen.screen(text);
      onScreened();

      return verdict;
    },
  };
}

/** @throws BadInput when something else stands where the store should be. */
function expectFolder(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isDirectory()) throw new BadInput(`--store is ${path}, which is no folder.`);
}
