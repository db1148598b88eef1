/** What viem's errors of a transport carry. */
type TransportError = Error & { status?: unknown; code?: unknown };

function chainOf(error: unknown): TransportError[] {
  const chain: TransportError[] = [];
  for (let current = error; current instanceof Error && chain.length < 10; current = current.cause) chain.push(current);

  return chain;
}

/**
 * Why a node gave no answer, and what to do about it, in one sentence.
 * @param host Never the whole address: path and query hold the keys of providers.
 */
export function reasonOf(error: unknown, host: string): string {
  const errors = chainOf(error);
  const status = errors.map((entry) => entry.status).find((value) => typeof value === "number");
  const names = errors.map(({ name }) => name);
  if (status === 401 || status === 403) {
    return `${host} refuses the key (HTTP ${status}): check the key in the address of --rpc.`;
  }
  if (status === 429 || names.includes("LimitExceededRpcError")) {
    return `${host} answers no more questions for now, its limit is reached (HTTP 429): wait, or use another endpoint.`;
  }
  if (typeof status === "number" && status >= 500) {
    return `${host} is not available (HTTP ${status}): try again later, or use another endpoint.`;
  }
  if (typeof status === "number") return `${host} does not take the question (HTTP ${status}): check --rpc.`;
  if (names.includes("TimeoutError")) return `${host} is silent: check --rpc and the network, or use another endpoint.`;
  if (
    names.includes("SyntaxError") ||
    errors.some(({ message }) => /is not valid JSON|Unexpected token/.test(message))
  ) {
    return `${host} answers with something else than JSON, such as a web page: it is no Ethereum node. Check --rpc.`;
  }

  return `No Ethereum node answers at ${host}: check --rpc, and that the node runs.`;
}
