import { uniswapV3 } from "./generated/uniswap-v3.ts";
import { type Preset, type PresetChain, preset } from "./presets.ts";

/** What each protocol is approved for by whoever starts from USDC and WETH. */
const PROTOCOLS: Readonly<Record<string, (chain: PresetChain) => Preset[]>> = {
  uniswapV3: (chain) => [preset.uniswapV3.swap({ chain })],
  aaveV3: (chain) => (["USDC", "WETH"] as const).map((asset) => preset.aaveV3.supply({ chain, asset })),
};

function isPresetChain(chain: string): chain is PresetChain {
  return Object.hasOwn(uniswapV3.chains, chain);
}

/** The protocols that have presets on a network; none on one that presets do not know. */
export function presetProtocols(chain: string): string[] {
  return isPresetChain(chain) ? Object.keys(PROTOCOLS) : [];
}

/** The presets of a protocol for a policy of USDC and WETH; undefined where there are none. */
export function presetsOf(protocol: string, chain: string): Preset[] | undefined {
  const make = Object.hasOwn(PROTOCOLS, protocol) ? PROTOCOLS[protocol] : undefined;

  return isPresetChain(chain) ? make?.(chain) : undefined;
}
