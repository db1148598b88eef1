import type { Chain, Client, Transport } from "viem";

/** Any viem client that asks a node: a public client of whatever chain, or a bare one. */
export type Reader = Client<Transport, Chain | undefined>;

/** Any viem client that signs: a wallet client of whatever chain, or one of a smart account. */
export type Wallet = Client<Transport, Chain | undefined>;
