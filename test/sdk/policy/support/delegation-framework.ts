import * as abis from "@metamask/delegation-abis";
import * as bytecodes from "@metamask/delegation-abis/bytecode";
import {
  type Abi,
  type Address,
  decodeErrorResult,
  encodeDeployData,
  getAddress,
  type Hex,
  type PrivateKeyAccount,
  zeroAddress,
} from "viem";
import { by, type LocalChain, type Outcome } from "../../../../scripts/world/chain.ts";
import type { DelegationFramework } from "../../../../sdk/index.ts";

/** Name of a custom error of the framework. */
export function frameworkErrorOf({ refusal }: Outcome): string | undefined {
  const abi = [...abis.DelegationManager, ...abis.EIP7702StatelessDeleGator] as Abi;

  return refusal === undefined ? undefined : decodeErrorResult({ abi, data: refusal.data }).errorName;
}

/** The framework as MetaMask publishes it, and the implementation that EIP-7702 accounts delegate to. */
export async function deployFramework(chain: LocalChain): Promise<DelegationFramework & { implementation: Address }> {
  const deploy = async (bytecode: string, abi: Abi = [], args: readonly unknown[] = []): Promise<Address> => {
    const data = encodeDeployData({ abi, bytecode: bytecode as Hex, args: [...args] });
    const { contractAddress } = await chain.done(chain.wallet.sendTransaction({ ...by(chain.deployer), data }));
    if (!contractAddress) throw new Error("The contract was not created.");

    return getAddress(contractAddress);
  };
  const delegationManager = await deploy(bytecodes.DelegationManager, abis.DelegationManager as Abi, [
    chain.deployer.address,
  ]);
  const stateless = abis.EIP7702StatelessDeleGator as Abi;

  return {
    delegationManager,
    allowedTargetsEnforcer: await deploy(bytecodes.AllowedTargetsEnforcer),
    allowedMethodsEnforcer: await deploy(bytecodes.AllowedMethodsEnforcer),
    valueLteEnforcer: await deploy(bytecodes.ValueLteEnforcer),
    timestampEnforcer: await deploy(bytecodes.TimestampEnforcer),
    redeemerEnforcer: await deploy(bytecodes.RedeemerEnforcer),
    implementation: await deploy(bytecodes.EIP7702StatelessDeleGator, stateless, [delegationManager, zeroAddress]),
  };
}

/** Makes the address of `key` a smart account of the framework (EIP-7702). */
export async function makeSmartAccount(
  chain: LocalChain,
  key: PrivateKeyAccount,
  implementation: Address,
): Promise<void> {
  const authorization = await key.signAuthorization({
    address: implementation,
    chainId: await chain.public.getChainId(),
    nonce: await chain.public.getTransactionCount({ address: key.address }),
  });
  const sender = by(chain.deployer);
  await chain.done(
    chain.wallet.sendTransaction({
      account: sender.account,
      chain: sender.chain,
      gas: sender.gas,
      maxFeePerGas: 0n,
      maxPriorityFeePerGas: 0n,
      to: key.address,
      authorizationList: [authorization],
    }),
  );
}
