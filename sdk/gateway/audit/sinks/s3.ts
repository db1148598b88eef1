import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { importOptional } from "../../../models/optional.ts";
import { lineOf, rowsOf } from "../lines.ts";
import { type AuditSink, type ChainedRow, latest, type RowQuery } from "./sink.ts";

const ANSWER_MS = 30_000;
const PAUSE_MS = 60_000;
const MOST_UNPACKED = 256_000_000;
const MOST_PAGES = 10_000;

export type S3Place = {
  /** Such as https://s3.eu-central-1.amazonaws.com */
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
};

/**
 * Rows in storage that speaks S3, as compressed lines of JSON: an object has a chain's rows from the one that it is named after. How long they are
 * kept is the bucket's to say. @throws OptionalPackageError
 */
export async function s3Sink({ endpoint, bucket, ...credentials }: S3Place): Promise<AuditSink> {
  const { AwsClient } = await importOptional("aws4fetch", "a gateway's S3 storage", () => import("aws4fetch"));
  const client = new AwsClient({ ...credentials, service: "s3", retries: 0 });
  const base = `${endpoint.replace(/\/$/, "")}/${bucket}`;

  async function ask(url: string, init: RequestInit = {}): Promise<Buffer> {
    const response = await client.fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_MS), redirect: "error" });
    const body = Buffer.from(await response.arrayBuffer());
    if (!response.ok) throw new Error(`The storage answers ${response.status}.`);

    return body;
  }

  /** Names of all objects, by chain, the oldest first. @param only of this chain */
  async function names(only?: string): Promise<Map<string, string[]>> {
    const chains = new Map<string, string[]>();
    let token: string | undefined;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const query = new URLSearchParams({
        "list-type": "2",
        ...(only && { prefix: `${only}/` }),
        ...(token && { "continuation-token": token }),
      });
      const listing = (await ask(`${base}?${query}`)).toString();
      for (const [, chain = "", name = ""] of listing.matchAll(/<Key>(\w{64})\/(\d{15})\.jsonl\.gz<\/Key>/g)) {
        const own = chains.get(chain) ?? [];
        own.push(name);
        chains.set(chain, own);
      }
      token = /<NextContinuationToken>([^<]+)</.exec(listing)?.[1]?.replaceAll("&amp;", "&");
      if (token === undefined) return chains;
    }
    throw new Error("The bucket has more objects than can be read.");
  }

  async function read(chain: string, name: string): Promise<ChainedRow[]> {
    const packed = await ask(`${base}/${chain}/${name}.jsonl.gz`);
    const lines = (await promisify(gunzip)(packed, { maxOutputLength: MOST_UNPACKED })).toString();

    return rowsOf(lines).map((row) => ({ ...row, chain }));
  }

  return {
    name: "s3",
    pauseMs: PAUSE_MS,
    async insert(rows) {
      const [first] = rows;
      if (first === undefined) return;
      const body = await promisify(gzip)(rows.map(lineOf).join(""));
      await ask(`${base}/${first.chain}/${String(first.seq).padStart(15, "0")}.jsonl.gz`, {
        method: "PUT",
        body: new Uint8Array(body),
      });
    },
    async rows(query: RowQuery) {
      const found: ChainedRow[][] = [];
      for (const [chain, own] of await names()) {
        let count = 0;
        for (const name of own.toReversed()) {
          const rows = latest(await read(chain, name), { ...query, limit: undefined });
          found.push(rows);
          count += rows.length;
          if (query.limit !== undefined && count >= query.limit) break;
        }
      }

      return latest(found.flat(), query);
    },
    async *chainRows(chain) {
      for (const name of (await names(chain)).get(chain) ?? []) yield* await read(chain, name);
    },
    async close() {},
  };
}
