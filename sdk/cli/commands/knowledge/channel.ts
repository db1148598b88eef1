import type { Channel, Provenance } from "../../../ingestion/entry.ts";
import type { IngestionConfig } from "../../../ingestion/owner/config.ts";
import { BadInput } from "../../terminal/failure.ts";
import { parseHex } from "../../terminal/values.ts";

/** Ways an archive comes that a command can be told; inheritance is between golems of one owner, and no archive's. */
export const WAYS = ["archive", "commons", "clade", "purchased", "cross-user"] as const;

export type ChannelOptions = {
  provenance: (typeof WAYS)[number];
  clade?: string;
  listing?: string;
  transaction?: string;
};

/** The way an archive came. A clade is one that the owner's file names: it is trusted more than others. */
export function channelOf(options: ChannelOptions, { clades = {} }: IngestionConfig): Channel {
  const { provenance: way, clade, listing, transaction } = options;
  if ((way === "clade") !== (clade !== undefined)) throw new BadInput("--provenance clade and --clade go together.");
  if (way !== "purchased" && (listing ?? transaction) !== undefined) {
    throw new BadInput("--listing and --transaction are for --provenance purchased.");
  }
  if (way === "purchased" && listing === undefined) throw new BadInput("--provenance purchased needs --listing.");
  if (clade !== undefined && !Object.hasOwn(clades, clade)) {
    throw new BadInput(`The configuration file names no clade ${JSON.stringify(clade.slice(0, 60))}.`);
  }
  const anchor = transaction === undefined ? undefined : parseHex(transaction, "--transaction");
  if (anchor !== undefined && anchor.length !== 66) throw new BadInput("--transaction is not a hash of 32 bytes.");
  const provenance: Provenance = way === "cross-user" ? "cross_user" : way;

  return {
    provenance,
    ...(clade !== undefined && { cladeId: clade }),
    ...(listing !== undefined && { listingId: listing, batchId: listing }),
    ...(anchor !== undefined && { onChainAnchor: anchor }),
  };
}
