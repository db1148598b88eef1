import type { Command } from "commander";
import { addRpcOption, connect, type RpcOptions } from "./support/connection.ts";
import { NegativeAnswer } from "./support/failure.ts";
import { readPolicyFile } from "./support/files.ts";
import { columns, paint, print, printJson, progress } from "./support/output.ts";

type Options = RpcOptions & { json: boolean };

export function registerCheck(program: Command): void {
  addRpcOption(
    program
      .command("check")
      .description("Judge a policy file: does a cage accept it, what may be lost under it, what should be looked at twice.")
      .argument("<file>", "policy file")
      .option("--json", "print the answer as JSON", false),
  )
    .addHelpText(
      "after",
      "\nWith --rpc the contracts it names are asked what they are. Exit code 1 when the policy breaks a constraint." +
        "\n\nExample:\n  policycage check policy.json --rpc https://mainnet.base.org",
    )
    .action(check);
}

async function check(file: string, options: Options): Promise<void> {
  const { PolicyError } = await import("../policy/errors.ts");
  try {
    await judge(file, options);
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    const { code, violations } = error;
    if (options.json) printJson({ isAccepted: false, code, violations });
    else {
      print(
        paint("red", `${file} breaks ${violations.length === 1 ? "a constraint" : `${violations.length} constraints`}:`),
        ...violations.map(({ constraint, value, allowed }) => `  ${constraint}: ${value}; allowed: ${allowed}`),
      );
    }
    throw new NegativeAnswer();
  }
}

async function judge(file: string, options: Options): Promise<void> {
  const policy = await readPolicyFile(file);
  const [{ worstTheft, warningsOf }, { formatDollars }] = await Promise.all([
    import("./support/judgement.ts"),
    import("../cage/format.ts"),
  ]);
  const config = policy.toPolicyCageConfig();
  const { hash } = policy.toConstitution();
  const theft = worstTheft(config);
  const warnings = warningsOf(config);
  const facts = options.rpc === undefined && process.env.POLICYCAGE_RPC === undefined ? undefined : await askChain(file, options);
  const isAccepted = facts?.every(({ isGood }) => isGood) ?? true;
  if (options.json) {
    printJson({ isAccepted, constitutionHash: hash, worstTheftPerDayUsdc: theft.total, warnings, ...(facts && { facts }) });
  } else {
    print(
      isAccepted ? `${paint("green", "Accepted")}: ${hash}` : paint("red", "A cage on this network refuses it:"),
      "",
      `A golem that is wholly the attacker's steals at most ${paint("bold", formatDollars(theft.total))} a day:`,
      `  ${formatDollars(theft.losses)}  losing trades: ${theft.explanation}`,
      `  ${formatDollars(theft.transfers)}  transfers to approved recipients${theft.transfers === 0n ? ": there are none" : ", your own wallets"}`,
      ...(facts === undefined
        ? []
        : ["", ...columns(facts.map(({ isGood, subject, answer }) => [isGood ? "  ok" : "  NO", subject, answer]))]),
      ...(warnings.length === 0 ? [] : ["", ...warnings.map((warning) => `${paint("yellow", "Look twice:")} ${warning}`)]),
    );
  }
  if (!isAccepted) throw new NegativeAnswer();
}

async function askChain(file: string, options: Options) {
  const reader = await connect(options);
  const { factsOf } = await import("./support/facts.ts");
  const policy = await readPolicyFile(file);

  return progress("asking the contracts", () => factsOf(reader, policy.toPolicyCageConfig()));
}
