import { crc32 } from "node:zlib";
import type * as Lance from "@lancedb/lancedb";
import { importOptional } from "../../models/optional.ts";
import { COLLECTIONS, type Collection, type VectorChange, type VectorIndex } from "./types.ts";

/** From here on a scan of all vectors costs more than an index (about 4 ms for vectors of 256 numbers). */
const ROWS_WORTH_AN_INDEX = 2_000;
/** Changed rows after which small files are merged and the index takes the new rows in. */
const ROWS_BETWEEN_MAINTENANCE = 1_000;
/** The index is trained anew when the table has grown to this many times what it was trained on. */
const GROWTH_WORTH_TRAINING = 2;
/** Parts of the index that a search looks into, of about as many as the square root of the rows. */
const PARTS_SEARCHED = 8;
const VERSIONS_KEPT_MS = 60_000;

type Stored = { table: Lance.Table; changedRows: number; trainedRows: number };

/** Vectors in LanceDB tables: an embedded folder, or the same on object storage (`s3://...`). */
export class LanceVectorIndex implements VectorIndex {
  readonly #dimension: number;
  readonly #tables: Map<Collection, Stored>;
  readonly #connection: Lance.Connection;
  readonly #lance: typeof Lance;

  private constructor(
    lance: typeof Lance,
    connection: Lance.Connection,
    tables: Map<Collection, Stored>,
    dimension: number,
  ) {
    this.#lance = lance;
    this.#connection = connection;
    this.#tables = tables;
    this.#dimension = dimension;
  }

  /** Opens or creates one table per collection at `uri`. Throws what LanceDB throws when it cannot, and OptionalPackageError without it. */
  static async open(uri: string, dimension: number): Promise<LanceVectorIndex> {
    const set = "policycage/ingestion";
    const lance = await importOptional("@lancedb/lancedb", set, () => import("@lancedb/lancedb"));
    const arrow = await importOptional("apache-arrow", set, () => import("apache-arrow"));
    const { Field, FixedSizeList, Float32, Schema, Utf8 } = arrow;
    const connection = await lance.connect(uri);
    const schema = new Schema([
      new Field("id", new Utf8(), false),
      new Field("vector", new FixedSizeList(dimension, new Field("item", new Float32(), true)), false),
      new Field("checksum", new Utf8(), false),
    ]);
    const tables = new Map<Collection, Stored>();
    for (const name of COLLECTIONS) {
      const table = await connection.createEmptyTable(name, schema, { mode: "create", existOk: true });
      const { names } = await table.schema();
      if (!names.includes("checksum")) throw new Error(`${name} was written without checksums`);
      const isIndexed = (await table.listIndices()).length > 0;
      tables.set(name, { table, changedRows: 0, trainedRows: isIndexed ? await table.countRows() : 0 });
    }

    return new LanceVectorIndex(lance, connection, tables, dimension);
  }

  async apply(changes: readonly VectorChange[]): Promise<void> {
    const last = new Map<Collection, Map<string, Float32Array | undefined>>();
    for (const { collection, id, vector } of changes) {
      const ofCollection = last.get(collection) ?? new Map<string, Float32Array | undefined>();
      ofCollection.set(id, vector);
      last.set(collection, ofCollection);
    }
    for (const [collection, byId] of last) await this.#applyTo(this.#stored(collection), byId);
  }

  async nearest(collections: readonly Collection[], vector: Float32Array, limit: number) {
    this.#check(vector);
    const found = await Promise.all(
      collections.map(async (name) => {
        const { table } = this.#stored(name);
        const rows = await table
          .vectorSearch(vector)
          .distanceType("cosine")
          .limit(limit)
          .nprobes(PARTS_SEARCHED)
          .select(["id", "_distance"])
          .toArray();

        return rows.map((row) => ({ id: String(row.id), similarity: 1 - Number(row._distance) }));
      }),
    );

    return found
      .flat()
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, limit);
  }

  async read(collection: Collection, ids: readonly string[]) {
    if (ids.length === 0) return [];
    const rows = await this.#stored(collection).table.query().where(oneOf(ids)).toArray();

    return rows.map((row) => ({ id: String(row.id), vector: Float32Array.from(row.vector as Iterable<number>) }));
  }

  /** Of the vectors that are as they were written: LanceDB does not notice when a byte of one has changed. */
  async ids(collection: Collection): Promise<string[]> {
    const rows = await this.#stored(collection).table.query().select(["id", "vector", "checksum"]).toArrow();
    const [vectors, checksums] = [rows.getChild("vector"), rows.getChild("checksum")];

    return Array.from(rows.getChild("id") ?? [], String).filter(
      (id, at) => checksumOf(id, Float32Array.from(vectors?.get(at) as Iterable<number>)) === checksums?.get(at),
    );
  }

  close(): void {
    for (const { table } of this.#tables.values()) table.close();
    this.#connection.close();
  }

  async #applyTo(stored: Stored, byId: Map<string, Float32Array | undefined>): Promise<void> {
    const removed: string[] = [];
    const rows: { id: string; vector: number[]; checksum: string }[] = [];
    for (const [id, vector] of byId) {
      if (vector === undefined) removed.push(id);
      else rows.push({ id, vector: Array.from(this.#check(vector)), checksum: checksumOf(id, vector) });
    }
    if (removed.length > 0) await stored.table.delete(oneOf(removed));
    if (rows.length > 0) {
      await stored.table.mergeInsert("id").whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(rows);
    }

    stored.changedRows += byId.size;
    if (stored.changedRows >= ROWS_BETWEEN_MAINTENANCE) await this.#maintain(stored);
  }

  async #maintain(stored: Stored): Promise<void> {
    stored.changedRows = 0;
    const { table } = stored;
    const rowCount = await table.countRows();
    if (rowCount >= Math.max(ROWS_WORTH_AN_INDEX, stored.trainedRows * GROWTH_WORTH_TRAINING)) {
      const numPartitions = Math.round(Math.sqrt(rowCount));
      await table.createIndex("vector", {
        config: this.#lance.Index.ivfFlat({ distanceType: "cosine", numPartitions }),
      });
      stored.trainedRows = rowCount;
    }
    await table.optimize({ cleanupOlderThan: new Date(Date.now() - VERSIONS_KEPT_MS) });
  }

  #stored(collection: Collection): Stored {
    const stored = this.#tables.get(collection);
    if (stored === undefined) throw new RangeError(`no collection ${collection}`);

    return stored;
  }

  #check(vector: Float32Array): Float32Array {
    if (vector.length !== this.#dimension) {
      throw new RangeError(`a vector has ${vector.length} numbers, the index takes ${this.#dimension}`);
    }

    return vector;
  }
}

/** Against accidents of a disk, not against people: the state database is the truth. */
function checksumOf(id: string, vector: Float32Array): string {
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);

  return crc32(bytes, crc32(id)).toString(16);
}

/** Ids are this store's own UUIDs; anything else has no place in a filter expression. */
function oneOf(ids: readonly string[]): string {
  for (const id of ids) if (!/^[0-9a-f-]+$/.test(id)) throw new RangeError("an id has other characters than a UUID");

  return `id IN (${ids.map((id) => `'${id}'`).join(", ")})`;
}
