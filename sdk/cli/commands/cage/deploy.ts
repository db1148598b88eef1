import { existsSync } from "node:fs";
import process from "node:process";
import type { Command } from "commander";
import type { Address, Hex } from "viem";
import type { DeploymentEstimate } from "../../../../deploy/estimate.ts";
import { ZERO } from "../../../core/units.ts";
import type { Policy } from "../../../policy/model/policy.ts";
import type { Roles } from "../../../policy/model/types.ts";
import {
  addKeyOptions,
  addRpcOption,
  connectWallet,
  type KeyOptions,
  type RpcOptions,
  type SigningClients,
} from "../../connect/connection.ts";
import { askAtTerminal, hasTerminal } from "../../terminal/ask.ts";
import { BadInput, NegativeAnswer } from "../../terminal/failure.ts";
import { readPolicyFile } from "../../terminal/files.ts";
import { paint, print, printJson, progress } from "../../terminal/output.ts";
import { parseAddress, parseSalt } from "../../terminal/values.ts";

type Options = RpcOptions &
  KeyOptions & {
    owner?: string;
    operator?: string;
    guardian?: string;
    safe?: string;
    installFile?: string;
    salt: string;
    deployments: string;
    acceptApprovals: boolean;
    another: boolean;
    yes: boolean;
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
        .option("--owner <address>", "who owns the cage: a wallet or a multisig (default: the Safe, else who deploys)")
        .option("--operator <address>", "who may sign high-water marks beside the owner (default: nobody)")
        .option("--guardian <address>", "who may halt, suspend and revoke beside the owner (default: nobody)")
        .option("--safe <address>", "cage this Safe 1.5.0, instead of an account of the cage's own")
        .option("--install-file <file>", "where to write what the Safe's owners sign (default: install-<safe>.json)")
        .option("--accept-approvals", "cage the Safe although it approved tokens that the policy does not list", false)
        .option("--salt <hex>", "tells apart cages of the same policy and roles", "0x00")
        .option("--deployments <folder>", "where journals of deployments are kept", "deployments")
        .option("--another", "deploy although there is a cage on this chain already", false)
        .option("--yes", "do not ask; needed where there is no terminal", false)
        .option("--json", "print the addresses as JSON", false),
    ),
  )
    .addHelpText(
      "after",
      "\nIt says what it will cost and asks before it sends anything." +
        "\n\nExample:\n  policycage deploy policy.json --rpc <url> --keystore DEPLOYER_KEY --owner 0x... --guardian 0x..." +
        "\n  policycage deploy policy.json --rpc <url> --keystore DEPLOYER_KEY --safe 0x...",
    )
    .action(deploy);
}

type Order = { policy: Policy; chainId: number; roles: Roles; salt: Hex };

async function deploy(file: string, options: Options): Promise<void> {
  const { policy, chainId } = await readPolicyFile(file);
  const role = (text: string | undefined, what: string) => (text === undefined ? ZERO : parseAddress(text, what));
  const salt = parseSalt(options.salt);
  const [owner, operator, guardian, safe] = [
    role(options.owner, "--owner"),
    role(options.operator, "--operator"),
    role(options.guardian, "--guardian"),
    role(options.safe, "--safe"),
  ];
  if (options.safe === undefined && options.installFile !== undefined) {
    throw new BadInput("--install-file says where to write what a Safe's owners sign: name the Safe with --safe.");
  }
  if (options.safe !== undefined && safe === ZERO) throw new BadInput("--safe is the zero address.");
  const clients = await connectWallet(options);
  const { reader, account: creator } = clients;
  const owners = safe === ZERO ? creator : safe;
  const roles = { owner: owner === ZERO ? owners : owner, operator, guardian, account: safe, enforcer: ZERO };
  const order = { policy, chainId, roles, salt };
  const { cageAddresses, guardAddress } = await import("../../../../deploy/code.ts");
  const { cage } = cageAddresses({ ...order, config: policy.toPolicyCageConfig(), creator });
  if (safe !== ZERO) {
    const { requireCageableSafe } = await import("../../../../deploy/safe.ts");
    await requireCageableSafe(reader, safe, guardAddress(cage));
    if (!options.acceptApprovals) {
      const { requireNoOldApprovals } = await import("../../../../deploy/approvals.ts");
      const listed = policy.toPolicyCageConfig().assets.map(({ asset }) => asset);
      await requireNoOldApprovals(reader, safe, listed);
    }
    // Before anything is paid for: a file that is there already is not written over.
    if (existsSync(installFileOf(safe, options))) {
      throw new BadInput(`${installFileOf(safe, options)} exists: name another file with --install-file.`);
    }
  }
  // What is there already costs nothing, and needs no leave.
  if ((await reader.getCode({ address: cage })) === undefined) await prepare(file, order, clients, options);

  await run(order, clients, options);
}

function installFileOf(safe: Address, { installFile }: Options): string {
  return installFile ?? `install-${safe}.json`;
}

/** The file that the Safe's owners import into its Transaction Builder, read, and sign as one transaction. */
async function writeInstallFile(safe: Address, guard: Address, chainId: number, options: Options): Promise<string> {
  const [{ installCalls }, { safeBatch }, { writeText }] = await Promise.all([
    import("../../../../deploy/safe.ts"),
    import("../../../cage/write/safe-batch.ts"),
    import("../../terminal/files.ts"),
  ]);
  const path = installFileOf(safe, options);
  const description = `Makes ${guard} the Safe's module and both its guards: what its golem does is caged from then on.`;
  const calls = installCalls(safe, guard);
  const batch = safeBatch({ chainId, createdAt: Date.now(), name: "policycage deploy --safe", description, calls });
  await writeText(path, `${JSON.stringify(batch, undefined, 2)}\n`, { force: false });

  return path;
}

/** Everything that can be known before the first transaction is sent, and the owner's leave. */
async function prepare(
  file: string,
  { policy, chainId, roles, salt }: Order,
  clients: SigningClients,
  options: Options,
) {
  const { reader, account: creator } = clients;
  const [{ requireFirstCage }, { estimateDeployment }, { requirePolicyOnChain }] = await Promise.all([
    import("../../connect/deployment.ts"),
    import("../../../../deploy/estimate.ts"),
    import("../../../cage/read/check-on-chain.ts"),
  ]);
  if (!options.another) await requireFirstCage(reader, file, options.deployments);
  await progress("asking the contracts", () => requirePolicyOnChain({ client: reader, policy, chainId }));
  const config = policy.toPolicyCageConfig();
  const estimate = await estimateDeployment(reader, { config, roles, salt, creator });
  const ownerCode = await reader.getCode({ address: roles.owner });
  const isStranger = roles.owner !== creator && ownerCode === undefined;
  const lines = await outlook(chainId, roles, estimate, isStranger);
  await requireFunds(clients, estimate.cost);
  // Standard output is for the answer: a script reads it.
  const say = (text: string) => (options.json ? process.stderr.write(`${text}\n`) : print(text));
  if (options.yes) {
    if (!options.json) print(...lines);
    return;
  }
  if (!hasTerminal()) {
    throw new BadInput(`Nobody is there to ask: look at this and add --yes. ${lines.join(" ").replaceAll(/ +/g, " ")}`);
  }
  say(lines.join("\n"));
  const isMeant = await askAtTerminal(
    (ask) => ask("Deploy? [y/N]", (text) => /^y(es)?$/i.test(text)),
    () => new BadInput("The input ended before the answer: nothing was sent."),
  );
  if (!isMeant) {
    say("Nothing was sent.");
    throw new NegativeAnswer();
  }
}

async function outlook(
  chainId: number,
  { owner, account }: Roles,
  { gas, cost, missing }: DeploymentEstimate,
  isStranger: boolean,
) {
  const [{ formatEther }, { chainName }] = await Promise.all([
    import("viem/utils"),
    import("../../connect/network-name.ts"),
  ]);

  return [
    `Deploying to ${chainName(chainId)}.`,
    `  owner  ${owner}`,
    ...(account === ZERO ? [] : [`  safe   ${account}`]),
    `  cost   about ${formatEther(cost)} of native currency at the present price, ${gas} gas`,
    ...(missing.length === 0 ? [] : [`         of which once a network: ${missing.join(", ")}`]),
    ...(isStranger
      ? [
          paint("yellow", "Look twice: the owner has no code on this chain. A wallet has none, a multisig has:"),
          "one that is not deployed here yet cannot act, and somebody else may take its address.",
        ]
      : []),
  ];
}

async function requireFunds({ reader, account }: SigningClients, cost: bigint): Promise<void> {
  const [balance, { NoFundsError }] = await Promise.all([
    reader.getBalance({ address: account }),
    import("../../../cage/write/funds.ts"),
  ]);
  if (balance < cost) throw new NoFundsError(account, { balance, needed: cost });
}

async function run({ policy, chainId, roles, salt }: Order, clients: SigningClients, options: Options): Promise<void> {
  const { reader, wallet, account: creator } = clients;
  const [{ deployCage, DeploymentError }, { accountOf }, { explainDeployment, paidFor }, { formatEther }] =
    await Promise.all([
      import("../../../../deploy/deploy.ts"),
      import("../../../cage/write/send.ts"),
      import("../../connect/deployment.ts"),
      import("viem/utils"),
    ]);
  const config = policy.toPolicyCageConfig();
  const transactions: Hex[] = [];
  const interrupt = () => {
    process.stderr.write("\nInterrupted. What was sent stays sent; run the same command again: it goes on.\n");
    process.exit(130);
  };
  process.once("SIGINT", interrupt);
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
        onTransaction: (hash) => {
          transactions.push(hash);
          if (!options.json) print(`transaction ${hash}`);
        },
      }),
    );
    const { guard } = deployed;
    const file = guard === undefined ? undefined : await writeInstallFile(roles.account, guard, chainId, options);
    const paid = await paidFor(reader, transactions);
    const { hash } = policy.toConstitution();
    if (options.json) {
      const { gas: gasUsed, cost } = paid;
      printJson({
        ...roles,
        ...deployed,
        ...(file && { installFile: file }),
        constitutionHash: hash,
        isNew,
        transactions,
        gasUsed,
        cost,
      });
      return;
    }
    const { explorerLink } = await import("../../connect/explorer.ts");
    const link = await explorerLink(chainId, deployed.cage);
    print(
      isNew
        ? `${paint("green", "Deployed")} for ${formatEther(paid.cost)} of native currency, ${paid.gas} gas.`
        : paint("green", "It is there already."),
      `  cage          ${deployed.cage}`,
      `  account       ${deployed.account}`,
      ...(guard === undefined ? [] : [`  guard         ${guard}`]),
      `  owner         ${roles.owner}`,
      `  constitution  ${hash}`,
      ...(link === undefined ? [] : [`  explorer      ${link}`]),
      "",
      "Next:",
      `  1. export POLICYCAGE_CAGE=${deployed.cage}`,
      ...(file === undefined
        ? ["  2. policycage deposit <amount>"]
        : [`  2. Import ${file} into the Safe's Transaction Builder, and have the owners sign it.`]),
      "  3. policycage session open --key <the golem's address> --cap <usdc>",
    );
  } catch (error) {
    if (!(error instanceof DeploymentError)) throw error;
    throw new BadInput(await explainDeployment(error, { reader, config, roles, salt, creator }), { cause: error });
  } finally {
    process.off("SIGINT", interrupt);
  }
}
