import { backup, DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from "node:sqlite";
import { IngestionError, type IngestionErrorCode } from "../errors.ts";

/** SQLite's primary result codes, as its documents number them. */
const CODES: Partial<Record<number, IngestionErrorCode>> = {
  5: "STORE_LOCKED",
  6: "STORE_LOCKED",
  8: "STORE_UNWRITABLE",
  10: "STORE_UNWRITABLE",
  11: "STORE_DAMAGED",
  13: "STORE_UNWRITABLE",
  14: "STORE_UNWRITABLE",
  26: "STORE_FOREIGN",
};
const MESSAGES: Partial<Record<IngestionErrorCode, string>> = {
  STORE_LOCKED: "Another process has this store open.",
  STORE_UNWRITABLE: "The state file cannot be read or written",
  STORE_DAMAGED: "The state file is damaged",
  STORE_FOREIGN: "The state file is not a readable store.",
};

/** What SQLite says, with a code of ours where it is about the file; a statement that is wrong is our own fault, and stays as it is. */
function coded(error: unknown): unknown {
  if (!(error instanceof Error && "errcode" in error && typeof error.errcode === "number")) return error;
  const code = CODES[error.errcode & 0xff];
  if (code === undefined) return error;
  const message = MESSAGES[code] ?? "";

  return new IngestionError(code, message.endsWith(".") ? message : `${message}: ${error.message}.`, { cause: error });
}

export type Row = Record<string, SQLOutputValue>;

function told<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw coded(error);
  }
}

/** One SQLite file: statements are prepared once, and `transaction` is all or nothing. Throws `STORE_...` for what the file is at fault for. */
export class Database {
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #isInTransaction = false;

  get isInTransaction(): boolean {
    return this.#isInTransaction;
  }

  constructor(path: string, { readOnly = false }: { readOnly?: boolean } = {}) {
    this.#connection = told(() => new DatabaseSync(path, { readOnly }));
  }

  /** Runs a script of several statements without parameters. */
  script(sql: string): void {
    told(() => this.#connection.exec(sql));
  }

  /** Runs one statement; returns how many rows it changed. */
  run(sql: string, ...parameters: SQLInputValue[]): number {
    return told(() => Number(this.#prepared(sql).run(...parameters).changes));
  }

  get(sql: string, ...parameters: SQLInputValue[]): Row | undefined {
    return told(() => this.#prepared(sql).get(...parameters));
  }

  all(sql: string, ...parameters: SQLInputValue[]): Row[] {
    return told(() => this.#prepared(sql).all(...parameters));
  }

  /** Commits what `work` did, or undoes it all when it throws. Inside another transaction it is part of that one. */
  transaction<T>(work: () => T): T {
    if (this.#isInTransaction) return work();

    this.run("BEGIN IMMEDIATE");
    this.#isInTransaction = true;
    try {
      const result = work();
      this.run("COMMIT");
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    } finally {
      this.#isInTransaction = false;
    }
  }

  /** Writes the file as it is at one moment to another path, while others read and write it. */
  async copyTo(path: string): Promise<void> {
    try {
      await backup(this.#connection, path);
    } catch (error) {
      throw coded(error);
    }
  }

  close(): void {
    this.#connection.close();
  }

  /** SQLite undoes a transaction by itself when the disk is full, and then says that there is none: the first error is the true one. */
  #rollBack(): void {
    try {
      this.run("ROLLBACK");
    } catch {
      // The transaction is undone when the file is opened next, if it is not now.
    }
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;

    const statement = this.#connection.prepare(sql);
    this.#statements.set(sql, statement);

    return statement;
  }
}
