import { expect } from "chai";
import { type Chain, createClient, createPublicClient, createWalletClient, custom, type LocalAccount } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { arbitrum, base, mainnet, optimism } from "viem/chains";
import type { CageDeployment } from "../../../deploy/deploy.ts";
import type {
  applyPolicy,
  Clients,
  checkPolicyOnChain,
  deposit,
  explainTransaction,
  findLenders,
  MarkSigner,
  pendingSince,
  planOnChain,
  readCage,
  readEvents,
  readPending,
  readPolicy,
  sendableNow,
  sendCall,
  signHighWaterMark,
  submitHighWaterMark,
  verifyConstitution,
  watchCage,
} from "../../../sdk/index.ts";

const transport = custom({ request: () => Promise.reject(new Error("There is no node.")) });
const account = privateKeyToAccount(`0x${"01".repeat(32)}`);

/** Every place where the SDK takes a client that asks. */
type TakesReader =
  | Parameters<typeof readCage>[0]
  | Parameters<typeof readPolicy>[0]
  | Parameters<typeof readPending>[0]
  | Parameters<typeof pendingSince>[0]
  | Parameters<typeof readEvents>[0]
  | Parameters<typeof explainTransaction>[0]
  | Parameters<typeof planOnChain>[0]
  | Parameters<typeof sendableNow>[0]["reader"]
  | Parameters<typeof findLenders>[0]
  | Parameters<typeof checkPolicyOnChain>[1]
  | Parameters<typeof applyPolicy>[0]["reader"]
  | Parameters<typeof verifyConstitution>[0]["reader"]
  | Parameters<typeof signHighWaterMark>[1]["reader"]
  | Parameters<typeof watchCage>[0]["reader"]
  | Clients["reader"]
  | CageDeployment["reader"];

/** A union hides what one member refuses: this holds only when each of them takes `Client`. */
type EachTakes<Client, Place> = Place extends unknown ? (Client extends Place ? true : false) : never;

/** Every place where it takes one that signs. */
type TakesWallet =
  | Parameters<typeof sendCall>[0]["wallet"]
  | Parameters<typeof submitHighWaterMark>[0]["wallet"]
  | Parameters<typeof deposit>[0]["wallet"]
  | Exclude<MarkSigner, LocalAccount>
  | CageDeployment["wallet"];

/** Compiles for `true` alone. */
function holds<Claim extends true>(...claims: Claim[]): number {
  return claims.length;
}

function clientsOf<Of extends Chain>(chain: Of) {
  return {
    bare: createClient({ chain, transport }),
    reader: createPublicClient({ chain, transport }),
    wallet: createWalletClient({ account, chain, transport }),
  };
}

const onMainnet = clientsOf(mainnet);
const onBase = clientsOf(base);
const onOptimism = clientsOf(optimism);
const onArbitrum = clientsOf(arbitrum);

describe("clients of every chain", () => {
  it("are taken by every function that asks the chain", () => {
    const count = holds<
      | EachTakes<typeof onMainnet.reader, TakesReader>
      | EachTakes<typeof onBase.reader, TakesReader>
      | EachTakes<typeof onOptimism.reader, TakesReader>
      | EachTakes<typeof onArbitrum.reader, TakesReader>
      | EachTakes<typeof onBase.bare, TakesReader>
    >(true);

    expect(count).to.equal(1);
  });

  it("are taken by every function that signs", () => {
    const clients: Clients[] = [onMainnet, onBase, onOptimism, onArbitrum];
    holds<
      | EachTakes<typeof onMainnet.wallet, TakesWallet>
      | EachTakes<typeof onBase.wallet, TakesWallet>
      | EachTakes<typeof onOptimism.wallet, TakesWallet>
      | EachTakes<typeof onArbitrum.wallet, TakesWallet>
    >(true);

    expect(clients.map(({ wallet }) => wallet.chain?.id)).to.deep.equal([1, 8_453, 10, 42_161]);
  });
});
