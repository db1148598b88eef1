import { encodeFunctionData, type PublicClient } from "viem";
import { addresses, type CageOrder, cageCode } from "../../../deploy/code.ts";
import { policyCageFactoryAbi } from "../../abi/generated/policy-cage-factory.ts";
import { CageError, withCageErrors } from "../../cage/refusal/errors.ts";

/** Why a deployment stopped. Once the factory is there it tells which rule the chain refuses the policy by. */
export async function explainDeployment(
  error: Error,
  { reader, config, roles, salt, creator }: CageOrder & { reader: PublicClient },
): Promise<string> {
  const to = addresses.PolicyCageFactory;
  const advice = "What was deployed so far stays; run the command again to go on.";
  if ((await reader.getCode({ address: to })) === undefined) return `${error.message} ${advice}`;
  const data = encodeFunctionData({
    abi: policyCageFactoryAbi,
    functionName: "createCage",
    args: [cageCode, config, roles, salt],
  });
  try {
    await withCageErrors(() => reader.call({ account: creator, to, data }));
  } catch (refusal) {
    if (refusal instanceof CageError) return `${refusal.message} ${refusal.advice}`;
  }

  return `${error.message} ${advice}`;
}
