import process from "node:process";
import type { Command } from "commander";
import { BadInput } from "../../terminal/failure.ts";
import { writeText } from "../../terminal/files.ts";
import { paint, print } from "../../terminal/output.ts";
import { parseAddress, parseDollars } from "../../terminal/values.ts";

type Options = {
  network?: string;
  mainWallet?: string;
  perTransaction?: string;
  perDay?: string;
  force: boolean;
};

const NETWORKS = ["ethereum", "arbitrum", "base", "optimism", "local"];

export function registerInit(program: Command): void {
  program
    .command("init")
    .description("Write a policy file to start from. Asks for what the options leave open, where there is a terminal.")
    .argument("[file]", "policy file to write", "policy.json")
    .option("--network <name>", `network of the cage: ${NETWORKS.join(", ")}`)
    .option("--main-wallet <address>", "the only address that golems may send assets to; none without it")
    .option("--per-transaction <usdc>", "most that one execution may spend (default: 10000)")
    .option("--per-day <usdc>", "most that any 24 hours may spend (default: 100000)")
    .option("--force", "replace an existing file", false)
    .addHelpText(
      "after",
      "\nExample:\n  policycage init policy.json --network base --per-day 5000 --per-transaction 500",
    )
    .action(init);
}

async function init(file: string, options: Options): Promise<void> {
  const answers = await complete(options);
  const { createPolicy, formatWithSignatures, networkOf } = await import("./template.ts");
  const network = await networkOf(answers.network);
  const policy = createPolicy(network, {
    ...(answers.mainWallet === undefined ? {} : { mainWallet: parseAddress(answers.mainWallet, "--main-wallet") }),
    ...(answers.perTransaction === undefined
      ? {}
      : { perTransactionCapUsdc: parseDollars(answers.perTransaction, "--per-transaction") }),
    ...(answers.perDay === undefined ? {} : { perDayCapUsdc: parseDollars(answers.perDay, "--per-day") }),
  });
  await writeText(file, formatWithSignatures(policy, network), { force: options.force });
  const [protocol] = network.protocols;
  print(
    `${paint("green", "Wrote")} ${file}: USDC and WETH on ${network.name}, traded at ${protocol.name}.`,
    "",
    "Next:",
    `  1. Read it, and change what you want otherwise.`,
    `  2. policycage check ${file}`,
    `  3. policycage deploy ${file} --rpc <url>`,
  );
}

/** Asks for what is missing when somebody sits there; without a terminal nothing is asked. */
async function complete(options: Options): Promise<Options & { network: string }> {
  const { network } = options;
  if (network !== undefined) return { ...options, network };
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new BadInput(`No network: name one with --network, of ${NETWORKS.join(", ")}.`);
  }

  const { createInterface } = await import("node:readline");
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  // Lines are kept: answers may be typed, or pasted all at once.
  const lines = terminal[Symbol.asyncIterator]();
  const ask = async (question: string) => {
    terminal.setPrompt(`${question} `);
    terminal.prompt();
    const { value, done } = await lines.next();
    if (done === true) throw new BadInput("The input ended before the last question: nothing was written.");

    return value.trim() || undefined;
  };
  try {
    const answers = {
      network: (await ask(`Network (${NETWORKS.join(", ")})?`)) ?? "local",
      mainWallet: options.mainWallet ?? (await ask("Your own wallet, where golems may send assets (empty: nowhere)?")),
      perTransaction: options.perTransaction ?? (await ask("Most USDC that one execution may spend (empty: 10000)?")),
      perDay: options.perDay ?? (await ask("Most USDC that 24 hours may spend (empty: 100000)?")),
    };
    const given = Object.fromEntries(Object.entries(answers).filter(([, answer]) => answer !== undefined));

    return { ...options, network: answers.network, ...given };
  } finally {
    terminal.close();
  }
}
