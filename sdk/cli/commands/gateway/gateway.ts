import process from "node:process";
import type { Command } from "commander";
import { BadInput } from "../../terminal/failure.ts";
import { print } from "../../terminal/output.ts";

type Options = { config: string; events: boolean };

export function registerGateway(program: Command): void {
  program
    .command("gateway")
    .description("Stand between agents and model providers: screen, mask and restore every request and answer")
    .option("--config <file>", "the gateway's configuration file", "gateway.json")
    .option("--events", "print what is found as lines of JSON", false)
    .addHelpText(
      "after",
      "\nThe file names providers, models and the variables that hold keys; docs/gateway.md says how. SIGTERM lets" +
        "\nrequests under way end, for 30 seconds; a second one stops at once." +
        "\n\nExample:\n  policycage gateway --config gateway.json",
    )
    .action(gateway);
}

async function gateway({ config: path, events }: Options): Promise<void> {
  const [{ readGatewayConfig }, { openGateway }, { GatewayError }, { writeEvent }] = await Promise.all([
    import("../../../gateway/config.ts"),
    import("../../../gateway/gateway.ts"),
    import("../../../gateway/errors.ts"),
    import("../../../core/bus.ts"),
  ]);
  try {
    const opened = await openGateway({
      config: readGatewayConfig(path),
      secrets: (name) => process.env[name],
      ...(events && { emit: (event) => print(writeEvent(event)) }),
    });
    const stop = new Promise<void>((resolve) => {
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
    });
    print(`Listening at ${opened.url}, loading models.`);
    try {
      await opened.ready;
      print(`Ready: ${opened.url}/v1 stands in for the provider's address.`);
      await stop;
      print("Stopping: requests under way may end.");
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    throw new BadInput(`${error.code}: ${error.message} ${error.advice}`, { cause: error });
  }
}
