import { localNetwork } from "../../../deploy/market.ts";
import { networks } from "../../../deploy/networks.ts";

/** A chain as a person knows it: "base, chain 8453". */
export function chainName(chainId: number): string {
  const known = [...Object.values(networks), localNetwork].find((network) => network.chainId === chainId);

  return known === undefined ? `chain ${chainId}` : `${known.name}, chain ${chainId}`;
}
