import type { Command } from "commander";
import { addCageOptions, type CageOptions, cageOf, connect } from "../../connect/connection.ts";
import { NegativeAnswer } from "../../terminal/failure.ts";
import { readPolicyFile } from "../../terminal/files.ts";
import { paint, print, printJson, progress } from "../../terminal/output.ts";

type Options = CageOptions & { json: boolean };

export function registerVerify(program: Command): void {
  addCageOptions(
    program
      .command("verify")
      .description("The check a golem makes at boot: does the cage enforce exactly this policy?")
      .argument("<file>", "policy file")
      .option("--json", "print the answer as JSON", false),
  )
    .addHelpText(
      "after",
      "\nExit code 1 when it enforces another one.\n\nExample:\n  policycage verify policy.json --cage 0x... --rpc <url>",
    )
    .action(verify);
}

async function verify(file: string, options: Options): Promise<void> {
  const policy = await readPolicyFile(file);
  const cage = cageOf(options);
  const reader = await connect(options);
  const { ConstitutionMismatchError, verifyConstitution } = await import("../../../cage/boot.ts");
  try {
    await progress("reading the cage", () => verifyConstitution(policy, { reader, cage }));
  } catch (error) {
    if (!(error instanceof ConstitutionMismatchError)) throw error;
    const { code, expected, actual, fields } = error;
    if (options.json) printJson({ isSame: false, code, expected, actual, fields });
    else {
      print(
        `${paint("red", code)}: the cage enforces ${actual}, the file is ${expected}.`,
        ...fields.map(({ field, local, chain }) => `  ${field}: ${local} in the file, ${chain} on the chain`),
      );
    }
    throw new NegativeAnswer();
  }
  const { hash } = policy.toConstitution();
  if (options.json) printJson({ isSame: true, constitutionHash: hash });
  else print(`${paint("green", "Same")}: the cage enforces this policy, ${hash}.`);
}
