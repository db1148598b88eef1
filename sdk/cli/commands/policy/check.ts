import type { Command } from "commander";
import { plainText } from "../../../core/format.ts";
import type { Policy } from "../../../policy/model/policy.ts";
import type { Violation } from "../../../policy/model/types.ts";
import { addRpcOption, connect, isNodeGiven, type RpcOptions } from "../../connect/connection.ts";
import { NegativeAnswer } from "../../terminal/failure.ts";
import { readPolicyFile } from "../../terminal/files.ts";
import { paint, print, printJson, progress } from "../../terminal/output.ts";

type Options = RpcOptions & { json: boolean };

export function registerCheck(program: Command): void {
  addRpcOption(
    program
      .command("check")
      .description("Judge a policy file: does a cage accept it, what may be lost under it, what to look at twice.")
      .argument("<file>", "policy file")
      .option("--json", "print the answer as JSON", false),
  )
    .addHelpText(
      "after",
      "\nWith --rpc the contracts it names are asked as well. Exit code 1 when a cage would refuse it." +
        "\n\nExample:\n  policycage check policy.json --rpc https://mainnet.base.org",
    )
    .action(check);
}

async function check(file: string, options: Options): Promise<void> {
  const { PolicyError } = await import("../../../policy/model/errors.ts");
  let policy: Policy;
  try {
    policy = await readPolicyFile(file);
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    return refuse(`No cage accepts ${file}:`, error.violations, options);
  }

  const chain = isNodeGiven(options) ? await askChain(policy, options) : undefined;
  if (chain !== undefined && chain.violations.length > 0) {
    return refuse(`No cage on this network accepts ${file} now:`, chain.violations, options);
  }
  await accept(policy, chain?.assets ?? [], options);
}

async function askChain(policy: Policy, options: Options) {
  const reader = await connect(options);
  const [{ checkPolicyOnChain }, { describeAssets }] = await Promise.all([
    import("../../../cage/read/check-on-chain.ts"),
    import("./facts.ts"),
  ]);

  return progress("asking the contracts", async () => ({
    violations: await checkPolicyOnChain(policy, reader),
    assets: await describeAssets(reader, policy.toPolicyCageConfig()),
  }));
}

function refuse(title: string, violations: readonly Violation[], { json }: Options): never {
  if (json) printJson({ isAccepted: false, violations });
  else {
    // A file may come from anybody: what it says must not drive the terminal.
    const lines = violations.map(({ constraint, value, allowed }) =>
      plainText(`  ${constraint}: ${value}; allowed: ${allowed}`, 1_000),
    );
    print(paint("red", title), ...lines);
  }
  throw new NegativeAnswer();
}

async function accept(policy: Policy, assets: readonly string[], { json }: Options): Promise<void> {
  const [{ warningsOf }, { worstDailyLoss }, { formatDollars, formatPercent }] = await Promise.all([
    import("./judgement.ts"),
    import("../../../policy/model/loss.ts"),
    import("../../../core/format.ts"),
  ]);
  const config = policy.toPolicyCageConfig();
  const { hash } = policy.toConstitution();
  const loss = worstDailyLoss(config);
  const warnings = warningsOf(config);
  if (json) {
    printJson({ isAccepted: true, constitutionHash: hash, worstDailyLoss: loss, warnings });
    return;
  }
  const parts = [
    `${formatDollars(loss.tradeLossUsdc)} by bad trades`,
    `${formatDollars(loss.feedDeviationUsdc)} by prices that feeds have not caught up with`,
    `${formatDollars(loss.roundingUsdc)} by rounding`,
  ];
  print(
    `${paint("green", "Accepted")}, constitution ${hash}`,
    "",
    `A golem that is wholly the attacker's steals at most ${paint("bold", formatDollars(loss.stolenUsdc))} a day`,
    `  ${parts.join(", ")}`,
    `  until NAV is ${formatPercent(loss.endsAtDrawdownBps)} below the mark.`,
    loss.toRecipientsUsdc === 0n
      ? "It cannot send assets to anybody."
      : `It can send up to ${formatDollars(loss.toRecipientsUsdc)} a day to the approved recipients, which are yours.`,
    ...(assets.length === 0 ? [] : ["", "Assets:", ...assets.map((line) => `  ${line}`)]),
    ...(warnings.length === 0
      ? []
      : ["", ...warnings.map((warning) => `${paint("yellow", "Look twice:")} ${warning}`)]),
  );
}
