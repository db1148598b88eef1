import type { Address } from "viem";
import type { z } from "zod";
import { PolicyCageError } from "../../core/errors.ts";
import { formatUsdc, usdc, ZERO } from "../../core/units.ts";
import type { Policy } from "../model/policy.ts";
import { NUMERIC_FIELDS } from "../model/rules.ts";
import type { PolicyCageConfig } from "../model/types.ts";
import { presetOf } from "../presets/file-entry.ts";
import { PolicyBuilder } from "./builder.ts";
import type { PriceFeedInput, StrategyInput } from "./draft.ts";
import { type PolicyFile, policyFileSchema } from "./file-schema.ts";

/** Far above any policy: 10 assets, 32 protocols, 128 functions. */
const MAX_CHARACTERS = 256 * 1_024;

/** Most problems that are worth listing. */
const MAX_PROBLEMS = 20;

/** A text that is no policy file. `fields` names what is wrong, by path. */
export class PolicyFileError extends PolicyCageError {
  override readonly name = "PolicyFileError";
  readonly fields: readonly { field: string; problem: string }[];

  constructor(message: string, fields: readonly { field: string; problem: string }[] = [], options?: ErrorOptions) {
    const lines = fields.map(({ field, problem }) => `  ${field}: ${problem}`);
    super([message, ...lines].join("\n"), {
      ...options,
      code: "POLICY_FILE_INVALID",
      advice: "Write the file as its schema says: policycage/policy.schema.json.",
    });
    this.fields = fields;
  }
}

type Parsed = z.output<typeof policyFileSchema>;

/**
 * The policy that a policy file describes.
 * @throws {PolicyFileError} when it is no policy file, naming every field that is missing, unknown or of the wrong type.
 * @throws {PolicyError} when its policy breaks constraints, naming every one.
 */
export function parsePolicyFile(text: string): Policy {
  const result = policyFileSchema.safeParse(parseJson(text));
  if (!result.success) {
    const { issues } = result.error;
    const fields = issues.slice(0, MAX_PROBLEMS).map((issue) => ({
      field: nameOf(issue),
      problem: issue.message,
    }));
    throw new PolicyFileError(`The policy file has ${issues.length} fields that are not as they should be:`, fields);
  }

  return builderOf(result.data).build();
}

function parseJson(text: string): unknown {
  if (text.length > MAX_CHARACTERS) {
    throw new PolicyFileError(`A policy file is at most ${MAX_CHARACTERS} characters; this has ${text.length}.`);
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    // The parser quotes what it found, which may be anything.
    throw new PolicyFileError(`The policy file is not JSON: ${reason.split(/, "|\n/)[0]?.slice(0, 120)}.`, [], {
      cause,
    });
  }
}

function nameOf(issue: z.core.$ZodIssue): string {
  const keys = issue.code === "unrecognized_keys" ? issue.keys.slice(0, 3).map((key) => key.slice(0, 40)) : [];
  const path = issue.path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
  const name = `${path}${keys.length > 0 ? `.${keys.join(", ")}` : ""}`.replace(/^\./, "");

  return name === "" ? "the file" : name;
}

// The schema says that an address is a string; the builder says whether the string is an address.
function builderOf(file: Parsed): PolicyBuilder {
  const fields = NUMERIC_FIELDS.flatMap((field) => {
    const value = file[field];
    if (value === undefined) return [];

    return [[field, field.endsWith("Usdc") ? usdc(value) : value]];
  });
  const numbers: Partial<PolicyCageConfig> = Object.fromEntries(fields);
  const assetsThat = (isSellOnly: boolean) =>
    file.assets.filter((row) => row.isSellOnly === isSellOnly).map(({ asset }) => asset as Address);
  const strategies = file.strategyWhitelist.flatMap(({ protocol, functions }) =>
    functions.map((name): StrategyInput => ({ protocol: protocol as Address, function: name })),
  );
  let builder = new PolicyBuilder()
    .numbers(numbers)
    .baseAsset(file.baseAsset as Address)
    .wrappedNative(file.wrappedNative as Address)
    .approvedAssets(assetsThat(false))
    .sellOnlyAssets(assetsThat(true))
    .approvedProtocols(file.approvedProtocols as Address[])
    .strategyWhitelist(strategies)
    .allowArbitraryCalldata(file.allowArbitraryCalldata)
    .transferRestriction(file.transferRestriction)
    .cladeWallets(file.cladeWallets as Address[])
    .sanctionOracle(file.sanctionOracle as Address)
    .sanctionsScreening(file.isSanctionsScreeningOn);
  for (const entry of file.presets) builder = builder.allow(presetOf(entry));
  for (const { asset, priceFeed } of file.assets) builder = builder.priceFeed(asset as Address, feedOf(priceFeed));
  if (file.mainWallet !== undefined) builder = builder.mainWallet(file.mainWallet as Address);
  if (file.sequencerFeed !== undefined) builder = builder.sequencerFeed(file.sequencerFeed as Address);

  return builder;
}

function feedOf({ issuer, ...feed }: Parsed["assets"][number]["priceFeed"]): PriceFeedInput {
  return {
    feed: feed.feed as Address,
    heartbeat: feed.heartbeat,
    minAnswer: BigInt(feed.minAnswer),
    maxAnswer: BigInt(feed.maxAnswer),
    dust: BigInt(feed.dust),
    ...(issuer === undefined ? {} : { issuer: issuer as Address }),
  };
}

/** The policy file of a policy, every field written out: parsing it gives the same policy. */
export function formatPolicyFile(policy: Policy, $schema?: string): string {
  const config = policy.toPolicyCageConfig();
  const { hasMainWallet, mainWallet, cladeWallets, hasSequencerFeed, sequencerFeed } = config;
  const file: PolicyFile = {
    ...($schema === undefined ? {} : { $schema }),
    version: 1,
    baseAsset: config.baseAsset,
    wrappedNative: config.wrappedNative,
    ...(hasSequencerFeed ? { sequencerFeed } : {}),
    assets: config.assets.map(({ asset, isSellOnly, priceFeed: { issuer, ...feed } }) => ({
      asset,
      isSellOnly,
      priceFeed: {
        feed: feed.feed,
        heartbeat: feed.heartbeat,
        minAnswer: String(feed.minAnswer),
        maxAnswer: String(feed.maxAnswer),
        dust: String(feed.dust),
        ...(issuer === ZERO ? {} : { issuer }),
      },
    })),
    approvedProtocols: [...config.approvedProtocols],
    strategyWhitelist: strategiesOf(config),
    allowArbitraryCalldata: config.allowArbitraryCalldata,
    transferRestriction: cladeWallets.length > 0 ? "clade" : hasMainWallet ? "mainWallet" : "none",
    ...(hasMainWallet ? { mainWallet } : {}),
    cladeWallets: [...cladeWallets],
    sanctionOracle: config.sanctionOracle,
    isSanctionsScreeningOn: config.isSanctionsScreeningOn,
    ...Object.fromEntries(NUMERIC_FIELDS.map((field) => [field, writtenNumber(config[field])])),
  };

  return `${JSON.stringify(file, null, 2)}\n`;
}

function writtenNumber(value: number | bigint): number | string {
  return typeof value === "bigint" ? formatUsdc(value) : value;
}

function strategiesOf({ approvedProtocols, strategyWhitelist }: PolicyCageConfig) {
  return approvedProtocols
    .map((protocol) => ({
      protocol,
      functions: strategyWhitelist.filter((pair) => pair.protocol === protocol).map(({ selector }) => selector),
    }))
    .filter(({ functions }) => functions.length > 0);
}
