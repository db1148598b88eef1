import type { Command } from "commander";
import { ZERO } from "../../../core/units.ts";
import {
  addKeyOptions,
  addRpcOption,
  connectWallet,
  type KeyOptions,
  type RpcOptions,
} from "../../connect/connection.ts";
import { BadInput } from "../../terminal/failure.ts";
import { readPolicyFile } from "../../terminal/files.ts";
import { paint, print, printJson, progress } from "../../terminal/output.ts";
import { parseAddress, parseSalt } from "../../terminal/values.ts";

type Options = RpcOptions &
  KeyOptions & {
    owner?: string;
    operator?: string;
    guardian?: string;
    salt: string;
    deployments: string;
    json: boolean;
  };

export function registerDeploy(program: Command): void {
  addKeyOptions(
    addRpcOption(
      program
        .command("deploy")
        .description(
          "Deploy a cage with this policy, and the account it guards. Interrupted, run it again: it goes on.",
        )
        .argument("<file>", "policy file")
        .option("--owner <address>", "who owns the cage: a wallet or a multisig (default: who deploys)")
        .option("--operator <address>", "who may sign high-water marks beside the owner (default: nobody)")
        .option("--guardian <address>", "who may halt, suspend and revoke beside the owner (default: nobody)")
        .option("--salt <hex>", "tells apart cages of the same policy and roles", "0x00")
        .option("--deployments <folder>", "where journals of deployments are kept", "deployments")
        .option("--json", "print the addresses as JSON", false),
    ),
  )
    .addHelpText(
      "after",
      "\nExample:\n  policycage deploy policy.json --rpc <url> --keystore DEPLOYER_KEY --owner 0x... --guardian 0x...",
    )
    .action(deploy);
}

async function deploy(file: string, options: Options): Promise<void> {
  const policy = await readPolicyFile(file);
  const role = (text: string | undefined, what: string) => (text === undefined ? ZERO : parseAddress(text, what));
  const salt = parseSalt(options.salt);
  const [owner, operator, guardian] = [
    role(options.owner, "--owner"),
    role(options.operator, "--operator"),
    role(options.guardian, "--guardian"),
  ];
  const { reader, wallet, account } = await connectWallet(options);
  const roles = { owner: owner === ZERO ? account : owner, operator, guardian };
  const [{ deployCage, DeploymentError }, { accountOf }] = await Promise.all([
    import("../../../../deploy/deploy.ts"),
    import("../../../cage/write/send.ts"),
  ]);
  const config = policy.toPolicyCageConfig();
  try {
    const { isNew, ...deployed } = await progress("deploying", (say) =>
      deployCage({
        reader,
        wallet,
        account: accountOf(wallet),
        config,
        roles,
        salt,
        directory: options.deployments,
        onProgress: say,
      }),
    );
    const { hash } = policy.toConstitution();
    if (options.json) printJson({ ...deployed, ...roles, constitutionHash: hash, isNew });
    else {
      print(
        isNew ? paint("green", "Deployed.") : paint("green", "It is there already."),
        `  cage          ${deployed.cage}`,
        `  account       ${deployed.account}`,
        `  owner         ${roles.owner}`,
        `  constitution  ${hash}`,
        "",
        "Next:",
        "  1. Send the golem's funds to the account.",
        `  2. policycage hwm sign --cage ${deployed.cage} --out mark.json, then policycage hwm submit mark.json`,
        `  3. policycage session open --key <golem's address> --cap <usdc> --cage ${deployed.cage}`,
      );
    }
  } catch (error) {
    if (!(error instanceof DeploymentError)) throw error;
    const { explainDeployment } = await import("../../connect/deployment.ts");
    throw new BadInput(await explainDeployment(error, { reader, config, roles, salt, creator: account }), {
      cause: error,
    });
  }
}
