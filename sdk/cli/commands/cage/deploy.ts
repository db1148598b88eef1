import { existsSync } from "node:fs";
import process from "node:process";
import type { Command } from "commander";
import type { Address, Hex } from "viem";
import type { AccountType, DeployedCage } from "../../../../deploy/deploy.ts";
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

export type DeployOptions = RpcOptions &
  KeyOptions & {
    salt: string;
    deployments: string;
    another: boolean;
    yes: boolean;
    json: boolean;
  };

type Options = DeployOptions & {
  owner?: string;
  operator?: string;
  guardian?: string;
  safe?: string;
  erc7579?: string;
  installFile?: string;
  acceptApprovals: boolean;
};

/** What is told of an account that is there already. */
type Adoption = Pick<Options, "installFile" | "erc7579">;

export function registerDeploy(program: Command): void {
  addKeyOptions(
    addRpcOption(
      program
        .command("deploy")
        .description(
          "Deploy a cage with this policy, and the account it guards. Interrupted, run it again: it goes on.",
        )
        .argument("<file>", "policy file")
        .option(
          "--owner <address>",
          "who owns the cage: a wallet or a multisig (default: the account, else who deploys)",
        )
        .option("--operator <address>", "who may sign high-water marks beside the owner (default: nobody)")
        .option("--guardian <address>", "who may halt, suspend and revoke beside the owner (default: nobody)")
        .option("--safe <address>", "cage this Safe 1.5.0, instead of an account of the cage's own")
        .option(
          "--erc7579 <address>",
          "cage this ERC-7579 account with a hook, instead of an account of the cage's own",
        )
        .option(
          "--install-file <file>",
          "where to write what installs the guard or hook (default: install-<account>.json)",
        )
        .option(
          "--accept-approvals",
          "cage the account although it approved tokens that the policy does not list",
          false,
        )
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
        "\n  policycage deploy policy.json --rpc <url> --keystore DEPLOYER_KEY --safe 0x..." +
        "\n  policycage deploy policy.json --rpc <url> --keystore DEPLOYER_KEY --erc7579 0x...",
    )
    .action(deploy);
}

type Order = { policy: Policy; chainId: number; roles: Roles; salt: Hex };

async function deploy(file: string, options: Options): Promise<void> {
  const { policy, chainId } = await readPolicyFile(file);
  const role = (text: string | undefined, what: string) => (text === undefined ? ZERO : parseAddress(text, what));
  const salt = parseSalt(options.salt);
  const [owner, operator, guardian, safe, modular] = [
    role(options.owner, "--owner"),
    role(options.operator, "--operator"),
    role(options.guardian, "--guardian"),
    role(options.safe, "--safe"),
    role(options.erc7579, "--erc7579"),
  ];
  if (options.safe !== undefined && options.erc7579 !== undefined) {
    throw new BadInput("--safe and --erc7579 each name the account that is caged: name one.");
  }
  const isAdopted = options.safe !== undefined || options.erc7579 !== undefined;
  if (!isAdopted && options.installFile !== undefined) {
    throw new BadInput(
      "--install-file says where to write what an account's owners sign: name it with --safe or --erc7579.",
    );
  }
  if (options.safe !== undefined && safe === ZERO) throw new BadInput("--safe is the zero address.");
  if (options.erc7579 !== undefined && modular === ZERO) throw new BadInput("--erc7579 is the zero address.");
  const adopted = safe === ZERO ? modular : safe;
  const clients = await connectWallet(options);
  const { reader, account: creator } = clients;
  const owners = adopted === ZERO ? creator : adopted;
  const roles = { owner: owner === ZERO ? owners : owner, operator, guardian, account: adopted, enforcer: ZERO };
  const order = { policy, chainId, roles, salt };
  if (safe !== ZERO) {
    const [{ requireCageableSafe }, { guardAddress }] = await Promise.all([
      import("../../../../deploy/safe.ts"),
      import("../../../../deploy/code.ts"),
    ]);
    await requireCageableSafe(reader, safe, guardAddress(await foretold(order, creator)));
  }
  if (modular !== ZERO) {
    const [{ requireCageableAccount }, { hookAddress }] = await Promise.all([
      import("../../../../deploy/erc7579.ts"),
      import("../../../../deploy/code.ts"),
    ]);
    await requireCageableAccount(reader, modular, hookAddress(await foretold(order, creator)));
  }
  if (adopted !== ZERO) {
    if (!options.acceptApprovals) {
      const { requireNoOldApprovals } = await import("../../../../deploy/approvals.ts");
      const listed = policy.toPolicyCageConfig().assets.map(({ asset }) => asset);
      await requireNoOldApprovals(reader, adopted, listed, accountTypeOf(options));
    }
    // Before anything is paid for: a file that is there already is not written over.
    if (existsSync(installFileOf(adopted, options))) {
      throw new BadInput(`${installFileOf(adopted, options)} exists: name another file with --install-file.`);
    }
  }
  if (!options.another) {
    const { requireFirstCage } = await import("../../connect/deployment.ts");
    if (!(await isThere(order, clients))) await requireFirstCage(reader, file, options.deployments);
  }
  await deployOrder(order, clients, options);
}

async function foretold({ policy, roles, salt }: Order, creator: Address): Promise<Address> {
  const { cageAddresses } = await import("../../../../deploy/code.ts");

  return cageAddresses({ config: policy.toPolicyCageConfig(), roles, salt, creator }).cage;
}

async function isThere(order: Order, { reader, account: creator }: SigningClients): Promise<boolean> {
  return (await reader.getCode({ address: await foretold(order, creator) })) !== undefined;
}

/** Deploys what was ordered, asks before it sends anything, and says what is there. */
export async function deployOrder(
  order: Order,
  clients: SigningClients,
  options: DeployOptions & Adoption,
): Promise<{ cage: Address }> {
  // What is there already costs nothing, and needs no leave.
  if (!(await isThere(order, clients))) await prepare(order, clients, options);

  return run(order, clients, options);
}

function accountTypeOf({ erc7579 }: Adoption): AccountType {
  return erc7579 === undefined ? "safe" : "erc7579";
}

function installFileOf(account: Address, { installFile }: Adoption): string {
  return installFile ?? `install-${account}.json`;
}

/** The file that the Safe's owners import into its Transaction Builder, read, and sign as one transaction. */
async function writeInstallFile(safe: Address, guard: Address, chainId: number, options: Adoption): Promise<string> {
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

async function installFile(
  account: Address,
  { guard, hook }: Pick<DeployedCage, "guard" | "hook">,
  chainId: number,
  options: Adoption,
): Promise<string | undefined> {
  if (guard !== undefined) return writeInstallFile(account, guard, chainId, options);

  return hook === undefined ? undefined : writeHookFile(account, hook, chainId, options);
}

/** What the account is called with in one operation of its owner, as a file to read and to hand to the owner's wallet. */
async function writeHookFile(account: Address, hook: Address, chainId: number, options: Adoption): Promise<string> {
  const [{ hookCalls }, { writeText }] = await Promise.all([
    import("../../../../deploy/erc7579.ts"),
    import("../../terminal/files.ts"),
  ]);
  const path = installFileOf(account, options);
  const description = `Makes ${hook} the account's executor and hook: what its golem does is caged from then on.`;
  const calls = hookCalls(account, hook).map((call) => ({ ...call, value: call.value.toString() }));
  await writeText(path, `${JSON.stringify({ chainId, account, description, calls }, undefined, 2)}\n`, {
    force: false,
  });

  return path;
}

/** Everything that can be known before the first transaction is sent, and the owner's leave. */
async function prepare(
  { policy, chainId, roles, salt }: Order,
  clients: SigningClients,
  options: DeployOptions & Adoption,
) {
  const { reader, account: creator } = clients;
  const [{ estimateDeployment }, { requirePolicyOnChain }] = await Promise.all([
    import("../../../../deploy/estimate.ts"),
    import("../../../cage/read/check-on-chain.ts"),
  ]);
  await progress("asking the contracts", () => requirePolicyOnChain({ client: reader, policy, chainId }));
  const config = policy.toPolicyCageConfig();
  const estimate = await estimateDeployment(reader, { config, roles, salt, creator });
  const ownerCode = await reader.getCode({ address: roles.owner });
  const isStranger = roles.owner !== creator && ownerCode === undefined;
  const kind = options.erc7579 === undefined ? "safe" : "account";
  const lines = await outlook(chainId, roles, estimate, { isStranger, kind });
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
  { isStranger, kind }: { isStranger: boolean; kind: "safe" | "account" },
) {
  const [{ formatEther }, { chainName }] = await Promise.all([
    import("viem/utils"),
    import("../../connect/network-name.ts"),
  ]);

  return [
    `Deploying to ${chainName(chainId)}.`,
    `  owner  ${owner}`,
    ...(account === ZERO ? [] : [`  ${kind.padEnd(7)}${account}`]),
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

async function run(
  { policy, chainId, roles, salt }: Order,
  clients: SigningClients,
  options: DeployOptions & Adoption,
): Promise<{ cage: Address }> {
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
        accountType: accountTypeOf(options),
        directory: options.deployments,
        onProgress: say,
        onTransaction: (hash) => {
          transactions.push(hash);
          if (!options.json) print(`transaction ${hash}`);
        },
      }),
    );
    const { guard, hook } = deployed;
    const file = await installFile(roles.account, deployed, chainId, options);
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
      return deployed;
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
      ...(hook === undefined ? [] : [`  hook          ${hook}`]),
      `  owner         ${roles.owner}`,
      `  constitution  ${hash}`,
      ...(link === undefined ? [] : [`  explorer      ${link}`]),
      "",
      "Next:",
      `  1. export POLICYCAGE_CAGE=${deployed.cage}`,
      ...(file === undefined
        ? ["  2. policycage deposit <amount>"]
        : guard === undefined
          ? [`  2. Have the account make the calls of ${file} to itself, in one operation of its owner.`]
          : [`  2. Import ${file} into the Safe's Transaction Builder, and have the owners sign it.`]),
      "  3. policycage session open --key <the golem's address> --cap <usdc>",
    );

    return deployed;
  } catch (error) {
    if (!(error instanceof DeploymentError)) throw error;
    throw new BadInput(await explainDeployment(error, { reader, config, roles, salt, creator }), { cause: error });
  } finally {
    process.off("SIGINT", interrupt);
  }
}
