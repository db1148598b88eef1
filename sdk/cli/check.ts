import process from "node:process";
import type { Command } from "commander";
import type { PolicyCageConfig } from "../policy/types.ts";
import { addRpcOption, connect, type RpcOptions } from "./support/connection.ts";
import type { Fact } from "./support/facts.ts";
import { NegativeAnswer } from "./support/failure.ts";
import { readPolicyFile } from "./support/files.ts";
import { columns, paint, print, printJson, progress } from "./support/output.ts";

type Options = RpcOptions & { json: boolean };

export function registerCheck(program: Command): void {
  addRpcOption(
    program
      .command("check")
      .description(
        "Judge a policy file: does a cage accept it, what may be lost under it, what should be looked at twice.",
      )
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
        paint(
          "red",
          `${file} breaks ${violations.length === 1 ? "a constraint" : `${violations.length} constraints`}:`,
        ),
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
  const hasNode = options.rpc !== undefined || process.env.POLICYCAGE_RPC !== undefined;
  const facts = hasNode ? await askChain(config, options) : undefined;
  const isAccepted = facts?.every(({ isGood }) => isGood) ?? true;
  if (options.json) {
    printJson({
      isAccepted,
      constitutionHash: hash,
      worstTheftPerDayUsdc: theft.losses,
      warnings,
      ...(facts && { facts }),
    });
  } else {
    print(
      isAccepted ? `${paint("green", "Accepted")}: ${hash}` : paint("red", "A cage on this network refuses it:"),
      "",
      `A golem that is wholly the attacker's steals at most ${paint("bold", formatDollars(theft.losses))} a day, until the breaker ends it:`,
      `  ${theft.explanation}`,
      theft.transfers === 0n
        ? "It can not send assets to anybody."
        : `It can send up to ${formatDollars(theft.transfers)} a day to the approved recipients, which are yours.`,
      ...(facts === undefined
        ? []
        : ["", ...columns(facts.map(({ isGood, subject, answer }) => [isGood ? "  ok" : "  NO", subject, answer]))]),
      ...(warnings.length === 0
        ? []
        : ["", ...warnings.map((warning) => `${paint("yellow", "Look twice:")} ${warning}`)]),
    );
  }
  if (!isAccepted) throw new NegativeAnswer();
}

async function askChain(config: PolicyCageConfig, options: Options): Promise<Fact[]> {
  const reader = await connect(options);
  const { factsOf } = await import("./support/facts.ts");

  return progress("asking the contracts", () => factsOf(reader, config));
}
