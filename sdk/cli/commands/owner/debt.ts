import type { Command } from "commander";
import type { Address, PublicClient } from "viem";
import { formatUnits } from "viem/utils";
import type { AssetUnit } from "../../../cage/read/assets.ts";
import { addCageOptions, type CageOptions, cageOf, connect, type RpcOptions } from "../../connect/connection.ts";
import { addOwnerOptions, type OwnerOptions, runOwnerAction } from "../../connect/owner.ts";
import { BadInput } from "../../terminal/failure.ts";
import { columns, print, printJson } from "../../terminal/output.ts";
import { parseAddress, parseAmount } from "../../terminal/values.ts";

type ShowOptions = CageOptions & RpcOptions & { json: boolean };

type AcknowledgeOptions = OwnerOptions & { protocol: string; asset: string };

/** What the account owes a protocol with a valuer in an asset, and how much of that its cage knows of, in base units. */
type Debt = { protocol: Address; unit: AssetUnit; owed: bigint; known: bigint };

export function registerDebt(program: Command): void {
  const debt = program.command("debt").description("What the account owes to protocols with a valuer.");
  addCageOptions(debt.command("show"))
    .description("Show what is owed, and how much of it the golem may repay outside the caps.")
    .option("--json", "print it as JSON", false)
    .addHelpText("after", "\nExample:\n  policycage debt show --cage 0x... --rpc <url>")
    .action(show);
  addOwnerOptions(
    debt
      .command("acknowledge")
      .description("Say that a debt is the account's own: the golem may repay so much outside the caps. Owner.")
      .argument("<amount>", "amount as people write it: 1500.25, or the word all: what is owed now")
      .requiredOption("--protocol <address>", "protocol that it is owed to")
      .requiredOption("--asset <address>", "what is owed"),
  )
    .addHelpText(
      "after",
      "\nFor debt that no execution opened: what you borrowed by your own hand, and what was owed before the protocol had a valuer." +
        "\nAcknowledge nothing that you do not know: a protocol can claim any debt." +
        "\n\nExample:\n  policycage debt acknowledge all --protocol 0x... --asset 0x... --cage 0x... --rpc <url> --keystore OWNER_KEY",
    )
    .action(acknowledge);
}

/** Every debt, and every one that a cage knows of, repaid or not, at the newest block. */
async function readDebts(reader: PublicClient, cage: Address): Promise<Debt[]> {
  const [{ readConfig }, { readKnownDebts, readPositions }, { knownOf, owedOf }, { readUnits }, { readAccount }] =
    await Promise.all([
      import("../../../cage/read/reader.ts"),
      import("../../../cage/read/positions.ts"),
      import("../../../preflight/evaluate/positions.ts"),
      import("../../../cage/read/assets.ts"),
      import("../../connect/cage.ts"),
    ]);
  const { number: blockNumber, timestamp: now } = await reader.getBlock();
  const [{ config }, account] = await Promise.all([readConfig(reader, cage), readAccount(reader, cage)]);
  const [units, positions, debts] = await Promise.all([
    readUnits(
      reader,
      config.assets.map(({ asset }) => asset),
    ),
    readPositions(reader, { config, account, blockNumber }),
    readKnownDebts(reader, cage, config, { blockNumber }),
  ]);

  return positions.flatMap(({ protocol, holdings }) => {
    if (holdings === "unreadable") throw new BadInput(`The valuer of ${protocol} does not answer: nothing is known.`);

    return holdings.flatMap((holding, index): Debt[] => {
      const unit = units[index];
      const owed = owedOf(holding);
      if (unit === undefined) return [];
      const { asset } = unit;
      const isRecorded = debts.some((each) => each.protocol === protocol && each.asset === asset);

      return owed === 0n && !isRecorded
        ? []
        : [{ protocol, unit, owed, known: knownOf(debts, { protocol, asset, owed, now }) }];
    });
  });
}

const say = (amount: bigint, { symbol, decimals }: AssetUnit) => `${formatUnits(amount, decimals)} ${symbol}`;

async function show({ json, ...options }: ShowOptions): Promise<void> {
  const cage = cageOf(options);
  const debts = await readDebts(await connect(options), cage);
  if (json) {
    printJson(debts.map(({ protocol, unit, owed, known }) => ({ protocol, asset: unit.asset, owed, known })));
  } else if (debts.length === 0) {
    print("Nothing is owed to a protocol with a valuer.");
  } else {
    const rows = debts.map(({ protocol, unit, owed, known }) => [protocol, say(owed, unit), say(known, unit)]);
    print(...columns([["owed to", "owed", "known"], ...rows]));
  }
}

async function acknowledge(text: string, { protocol, asset, ...options }: AcknowledgeOptions): Promise<void> {
  const place = { protocol: parseAddress(protocol, "--protocol"), asset: parseAddress(asset, "--asset") };
  const { cageCall } = await import("../../../cage/write/calls.ts");
  await runOwnerAction(options, {
    title: "policycage debt acknowledge",
    make: async ({ cage, reader }) => {
      const debts = await readDebts(await reader(), cage);
      const debt = debts.find((each) => each.protocol === place.protocol && each.unit.asset === place.asset);
      if (debt === undefined) {
        throw new BadInput(
          `Nothing is owed to ${place.protocol} in ${place.asset}, as its valuer says: nothing was sent.`,
        );
      }
      const amount = text === "all" ? debt.owed : parseAmount(text, debt.unit.decimals, "The amount");

      return {
        // The amount that was read: what is claimed in between is nobody's debt.
        calls: [cageCall(cage, "acknowledgeDebt", [place.protocol, place.asset, amount])],
        done: `The golem may repay ${say(amount < debt.owed ? amount : debt.owed, debt.unit)} to ${place.protocol}, and interest, outside the caps.`,
      };
    },
  });
}
