import type { Address } from "viem";
import type { Fraction } from "./fraction.ts";
import type { Bounds } from "./quantity.ts";
import type { Asset, Exchange, KnownChain } from "./registry.ts";

/** A pool by its address, or by its tokens at an exchange. `feePips`: hundredths of a basis point; V3 only. */
export type PoolReference =
  | { address: Address; exchange?: Exchange }
  | { exchange: Exchange; tokens: readonly [Asset, Asset]; feePips?: number };

/** Whose balance it is. */
export type Holder = { address: Address } | { pool: PoolReference };

/** What a sentence says of the chain, at one block of one chain. */
export type Claim = { chain: KnownChain; blockNumber: bigint } & Statement;

export type Statement =
  | { kind: "balance"; holder: Holder; asset: Asset; bounds: Bounds }
  | { kind: "supply"; token: Asset; bounds: Bounds }
  /** What one `base` costs in `quote`. */
  | { kind: "price"; pool: PoolReference; base: Asset; quote: Asset; bounds: Bounds }
  /** Both balances of the pool at its own price, in `unit`. */
  | { kind: "tvl"; pool: PoolReference; unit: Asset; bounds: Bounds }
  | { kind: "reserve"; pool: PoolReference; token: Asset; bounds: Bounds }
  /** The square-root liquidity of V3 around the current tick, as it stands in the pool. */
  | { kind: "liquidity"; pool: PoolReference; bounds: Bounds }
  | { kind: "tick"; pool: PoolReference; tick: bigint }
  | { kind: "fee"; pool: PoolReference; pips: Fraction }
  | { kind: "pool_token"; pool: PoolReference; index: 0 | 1; token: Address }
  | { kind: "total_assets"; vault: Address; unit: Asset; bounds: Bounds };
