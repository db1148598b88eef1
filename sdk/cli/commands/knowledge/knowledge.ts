import { statSync } from "node:fs";
import process from "node:process";
import type { PublicClient } from "viem";
import type { NetworkParameters } from "../../../../deploy/networks.ts";
import type { Strictness } from "../../../ingestion/entry.ts";
import { IngestionError } from "../../../ingestion/errors.ts";
import type { ConsensusLayer } from "../../../ingestion/judge/consensus/layer.ts";
import { wrapReasoner } from "../../../ingestion/judge/reasoner/wrap.ts";
import type { Embedder, InjectionScreen, Reasoner, RegistryReader } from "../../../ingestion/ports.ts";
import type { Asked, Knowledge } from "../../../ingestion/run.ts";
import { connectToChain, isNodeGiven, type RpcOptions } from "../../connect/connection.ts";
import { BadInput } from "../../terminal/failure.ts";
import { parseAddress } from "../../terminal/values.ts";

export type KnowledgeOptions = RpcOptions & {
  store: string;
  registry?: string;
  reasonerUrl?: string;
  reasonerModel?: string;
  strictness?: Strictness;
};

const REASONER_KEY = "POLICYCAGE_REASONER_KEY";
/** A person waits longer than a trading loop. */
const SCREEN_TIMEOUT_MS = 60_000;
const REASONER_TIMEOUT_MS = 60_000;

/** Told of each entry that has been screened and each question that was put to the reasoner: both take their time. */
export type Watcher = { screened(): void; asked(): void };

/** Wires the ports of knowledge ingestion: models, node, reasoner, disk and clock. */
export async function openKnowledge(options: KnowledgeOptions, watcher: Watcher): Promise<Knowledge> {
  expectFolder(options.store);
  const named = await reasonerOf(options);
  const asked: Asked | undefined = named && { reasoner: named.id, calls: 0, failures: 0 };
  const reasoner = named && asked && watched(named, asked, watcher);
  const { registries, onChain } = await chainsOf(options);
  const [
    { openKnowledgeStore },
    { Quarantine },
    { createConsensus },
    { injectionScreen },
    { createInjectionDetector },
    { createLiteClassifier },
  ] = await Promise.all([
    import("../../../ingestion/store/open.ts"),
    import("../../../ingestion/door/quarantine/quarantine.ts"),
    import("../../../ingestion/judge/consensus/create.ts"),
    import("../../../ingestion/screen.ts"),
    import("../../../safety/injection/detect.ts"),
    import("../../../safety/injection/classifier/lite/lite.ts"),
  ]);
  const detector = createInjectionDetector({ classifier: createLiteClassifier(), timeoutMs: SCREEN_TIMEOUT_MS });
  const store = await openKnowledgeStore({ directory: options.store, embedder: await embedder(), clock: Date });

  return {
    store,
    quarantine: new Quarantine({ store, registries, injection: counted(injectionScreen(detector), watcher) }),
    consensus: createConsensus({
      store,
      ...(reasoner !== undefined && { reasoners: { baseline: reasoner, timeoutMs: REASONER_TIMEOUT_MS } }),
      ...(onChain !== undefined && { onChain }),
      ...(options.strictness !== undefined && { floor: options.strictness }),
    }),
    asked,
    async close() {
      store.close();
      await detector.close();
    },
  };
}

async function embedder(): Promise<Embedder> {
  const { liteEmbedder } = await import("../../../ingestion/judge/embedder/lite.ts");

  return liteEmbedder();
}

async function reasonerOf({ reasonerUrl, reasonerModel }: KnowledgeOptions): Promise<Reasoner | undefined> {
  if (reasonerUrl === undefined && reasonerModel === undefined) return undefined;
  if (reasonerUrl === undefined || reasonerModel === undefined) {
    throw new BadInput("A reasoner needs both --reasoner-url and --reasoner-model.");
  }
  const apiKey = process.env[REASONER_KEY];
  const { openAiReasoner } = await import("../../../ingestion/judge/reasoner/openai-compatible.ts");

  return openAiReasoner({
    baseUrl: reasonerUrl,
    model: reasonerModel,
    timeoutMs: REASONER_TIMEOUT_MS,
    ...(apiKey !== undefined && apiKey !== "" && { apiKey }),
  });
}

/** Counts how a reasoner is asked and how often it fails. */
export function watched(reasoner: Reasoner, asked: Asked, watcher: Pick<Watcher, "asked">): Reasoner {
  return wrapReasoner(reasoner, async (statements, evidence) => {
    asked.calls += 1;
    watcher.asked();
    try {
      return await reasoner.judge(statements, evidence);
    } catch (error) {
      asked.failures += 1;
      asked.lastFailure = error instanceof IngestionError ? `${error.code}: ${error.message}` : "It failed.";
      throw error;
    }
  });
}

type Chains = { registries: RegistryReader[]; onChain: ConsensusLayer | undefined };

/**
 * Registry and claims are asked of the node that is given. Of other networks that are known here nobody is asked: their entries wait in
 * quarantine, since refusing them would lose what another node can confirm.
 */
async function chainsOf(options: KnowledgeOptions): Promise<Chains> {
  const { AGENT_REGISTRY, networks } = await import("../../../../deploy/networks.ts");
  const known = Object.values(networks);
  const registry = options.registry === undefined ? undefined : parseAddress(options.registry, "--registry");
  if (!isNodeGiven(options)) {
    if (registry !== undefined) throw new BadInput("--registry needs a node to ask: name one with --rpc.");

    return { registries: known.map(({ chainId }) => unasked(chainId)), onChain: undefined };
  }
  const { client, chainId } = await connectToChain(options);
  const network = known.find((candidate) => candidate.chainId === chainId);
  const address = registry ?? (network === undefined ? undefined : AGENT_REGISTRY);
  if (address === undefined) {
    throw new BadInput(`No registry of agents is known for chain ${chainId}: name its address with --registry.`);
  }
  const { erc8004Registry } = await import("../../../ingestion/door/quarantine/registry.ts");

  return {
    registries: [
      erc8004Registry({ client, address }),
      ...known.filter((other) => other.chainId !== chainId).map((other) => unasked(other.chainId)),
    ],
    onChain: network === undefined ? undefined : await onChainLayerOf(network, client),
  };
}

/** Only contracts that this package knows can make a claim hold or fail. */
async function onChainLayerOf(network: NetworkParameters, client: PublicClient): Promise<ConsensusLayer> {
  const [{ onChainLayer }, { onChainReader }] = await Promise.all([
    import("../../../ingestion/on-chain/layer.ts"),
    import("../../../ingestion/on-chain/node/viem-reader.ts"),
  ]);
  const { chainId, name, otherNames = [], tokens, uniswapV3Factory } = network;

  return onChainLayer({
    registries: [
      {
        chainId,
        names: [name, ...otherNames],
        nativeSymbol: "ETH",
        tokens: [
          { symbol: "USDC", address: tokens.usdc },
          { symbol: "WETH", address: tokens.weth },
        ],
        dollarSymbol: "USDC",
        ...(uniswapV3Factory !== undefined && {
          exchanges: [{ name: "Uniswap V3", kind: "uniswap_v3" as const, factory: uniswapV3Factory }],
        }),
      },
    ],
    readers: [onChainReader({ chainId, clients: [client] })],
  });
}

function unasked(chainId: number): RegistryReader {
  const nobody = () => Promise.reject(new Error("no node is set up"));

  return { chainId, walletOf: nobody, acceptsSignature: nobody };
}

function counted(screen: InjectionScreen, watcher: Watcher): InjectionScreen {
  return {
    async screen(text) {
      const verdict = await screen.screen(text);
      watcher.screened();

      return verdict;
    },
  };
}

/** @throws BadInput when something else stands where the store should be. */
function expectFolder(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isDirectory()) throw new BadInput(`--store is ${path}, which is not a folder.`);
}
