import type { Address, ContractFunctionParameters, StateOverride } from "viem";
import { getBalance, multicall } from "viem/actions";
import { cagedAccountAbi } from "../abi/generated/caged-account.ts";
import { tokenAbi } from "../cage/read/erc20.ts";
import { decodeCageError, revertDataOf } from "../cage/refusal/errors.ts";
import type { Reader } from "../core/clients.ts";
import { nodeErrorOf } from "../core/node-error.ts";
import { NATIVE } from "../core/units.ts";
import type { Proposal } from "../preflight/evaluate/proposal.ts";
import type { Effects } from "../preflight/evaluate/state.ts";
import type { CallFailure } from "../preflight/evaluate/violation.ts";
import { keyOf } from "../preflight/evaluate/violation.ts";

/** Answers every call with success and nothing. */
const PERMISSIVE = "0x5f5ff3";

/** Answers `balanceOf(address)` with what the address holds of the native currency, put at an address where nothing else is. */
const PURSE = { address: "0x00000000000000000000000000000000000ba1a9", code: "0x600435315f5260205ff3" } as const;

const FAILURES: ReadonlySet<string> = new Set<CallFailure["code"]>(["CallFailed", "AssetCallFailed", "TransferShort"]);

type Holder = { account: Address; assets: readonly Address[]; blockNumber: bigint };

/** What an account holds of each asset, in base units, at the end of a block. */
export async function balancesAt(reader: Reader, { account, assets, blockNumber }: Holder): Promise<Effects> {
  const tokens = assets.filter((asset) => keyOf(asset) !== keyOf(NATIVE));
  const [native, answers] = await Promise.all([
    getBalance(reader, { address: account, blockNumber }),
    multicall(reader, {
      contracts: tokens.map((address) => balanceOf(address, account)),
      allowFailure: true,
      deployless: true,
      blockNumber,
    }),
  ]);
  const held = new Map(tokens.map((token, index) => [token, answers[index]?.result ?? ("unreadable" as const)]));

  return { balances: assets.map((asset) => ({ asset, balance: held.get(asset) ?? native })) };
}

/**
 * What a proposal would have done at the end of a block if no rule had stood in its way: its calls, run for once with a cage that says
 * yes to everything. Nothing is sent.
 * @returns undefined when the node does not say.
 * @throws what the client throws when the node does not answer.
 */
export async function simulatedAt(
  reader: Reader,
  { cage, proposal, assets, blockNumber }: { cage: Address; proposal: Proposal } & Omit<Holder, "account">,
): Promise<Effects | undefined> {
  const { account } = proposal;
  const stateOverride: StateOverride = [{ address: cage, code: PERMISSIVE }, PURSE];
  const contracts: ContractFunctionParameters[] = [
    callOf(proposal),
    ...assets.map((asset) => balanceOf(keyOf(asset) === keyOf(NATIVE) ? PURSE.address : asset, account)),
  ];
  // What a client batches of itself would not see what the first call did.
  const [ran, ...answers] = await multicall({ ...reader, batch: undefined } as Reader, {
    contracts,
    batchSize: 0,
    allowFailure: true,
    deployless: true,
    blockNumber,
    stateOverride,
  });
  if (ran === undefined) return undefined;
  if (ran.status === "failure") {
    const silence = nodeErrorOf(ran.error);
    if (silence !== undefined) throw silence;
    const data = revertDataOf(ran.error);
    const { code, args } = data === undefined ? { code: "", args: [] } : decodeCageError(data);

    return FAILURES.has(code) ? { failure: { code, args } as unknown as CallFailure } : undefined;
  }

  return {
    balances: assets.map((asset, index) => {
      const answer = answers[index]?.result;

      return { asset, balance: typeof answer === "bigint" ? answer : "unreadable" };
    }),
  };
}

function balanceOf(address: Address, holder: Address) {
  return { abi: tokenAbi, address, functionName: "balanceOf", args: [holder] } as const;
}

function callOf({ account, trades, transfer }: Proposal) {
  const contract = { abi: cagedAccountAbi, address: account } as const;
  if (trades !== undefined) return { ...contract, functionName: "execute", args: [trades] } as const;
  const { asset, amount, recipient } = transfer;

  return { ...contract, functionName: "transferOut", args: [asset, amount, recipient] } as const;
}
