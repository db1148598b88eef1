import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from "node:sqlite";

export type Row = Record<string, SQLOutputValue>;

/** One SQLite file: statements are prepared once, and `transaction` is all or nothing. */
export class Database {
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #isInTransaction = false;

  get isInTransaction(): boolean {
    return this.#isInTransaction;
  }

  constructor(path: string) {
    this.#connection = new DatabaseSync(path);
  }

  /** Runs a script of several statements without parameters. */
  script(sql: string): void {
    this.#connection.exec(sql);
  }

  /** Runs one statement; returns how many rows it changed. */
  run(sql: string, ...parameters: SQLInputValue[]): number {
    return Number(this.#prepared(sql).run(...parameters).changes);
  }

  get(sql: string, ...parameters: SQLInputValue[]): Row | undefined {
    return this.#prepared(sql).get(...parameters);
  }

  all(sql: string, ...parameters: SQLInputValue[]): Row[] {
    return this.#prepared(sql).all(...parameters);
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
      this.run("ROLLBACK");
      throw error;
    } finally {
      this.#isInTransaction = false;
    }
  }

  close(): void {
    this.#connection.close();
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;

    const statement = this.#connection.prepare(sql);
    this.#statements.set(sql, statement);

    return statement;
  }
}
