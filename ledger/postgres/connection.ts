import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import pg from 'pg';
import { UnitOfWork, type UnitConnection } from '../database/unit-of-work.ts';
import { LedgerUnreachable } from '../errors.ts';
import { explain } from './errors.ts';
import { describePlace } from './describe-place.ts';

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const IN_FAILED_TRANSACTION = '25P02';
/** Prepared statements that a connection keeps. Lists of varying length make new ones; those run unprepared after that. */
const MOST_STATEMENTS = 300;
/** The schema of a ledger whose address names none. */
const DEFAULT_SCHEMA = 'voxbatch';

/** int8 and numeric arrive as text. Times, credits and counts fit into a number. */
const types = new pg.TypeOverrides();
for (const type of [pg.types.builtins.INT8, pg.types.builtins.NUMERIC]) types.setTypeParser(type, Number);

/** The settings of a connection to this ledger, and its schema. */
export function connectionTo(place: string): { readonly config: pg.ClientConfig; readonly schema: string } {
  const url = new URL(place);
  const schema = url.searchParams.get('schema') ?? DEFAULT_SCHEMA;
  url.searchParams.delete('schema');
  if (!/^\w+$/.test(schema)) {
    throw new LedgerUnreachable(describePlace(place), 'its schema is no plain name', 'Use letters, digits and _.');
  }
  // Set at the connection's start, so that no statement can run without it. Those of the address come first: ours win.
  const given = url.searchParams.get('options') ?? '';
  url.searchParams.delete('options');
  const options = `${given} -c search_path=${schema} -c synchronous_commit=on`;
  return { config: { connectionString: url.href, options, types, application_name: 'voxbatch' }, schema };
}

/** A connection of the pool. Statements go out when they are asked for, one behind the other. */
export class LedgerConnection implements DatabaseConnection, UnitConnection {
  readonly #client: pg.PoolClient;
  readonly #place: string;
  readonly #names = new Map<string, string>();
  #unit: UnitOfWork | undefined;
  /** The first error of a statement that nobody waited for. */
  #trouble: Error | undefined;
  /** The last error that was more than the consequence of another. */
  #cause: Error | undefined;
  /** The last such statement. */
  #sent: Promise<void> = Promise.resolve();

  constructor(client: pg.PoolClient, place: string) {
    this.#client = client;
    this.#place = place;
  }

  beginUnit(): UnitOfWork {
    return (this.#unit = new UnitOfWork(this));
  }

  async executeQuery<R>({ sql: text, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
    if (query.kind !== 'SelectQueryNode') this.#unit?.forgetAll();
    const { rows, rowCount } = await this.#run(text, parameters);
    return { rows: rows as R[], numAffectedRows: BigInt(rowCount ?? 0) };
  }

  async ask(text: string, values: readonly unknown[]): Promise<readonly unknown[]> {
    const { rows } = await this.#run(text, values);
    return rows as readonly unknown[];
  }

  send(text: string, values: readonly unknown[]): void {
    this.#sent = this.#run(text, values).then(
      () => undefined,
      (error: unknown) => {
        this.#trouble ??= error as Error;
      },
    );
  }

  async settled(): Promise<void> {
    await this.#sent;
    if (this.#trouble !== undefined) throw this.#trouble;
  }

  /** A transaction in which a statement failed answers ROLLBACK. */
  async commit(): Promise<void> {
    const { command } = await this.#run('commit', []);
    await this.settled();
    if (command !== 'COMMIT') throw new Error(`The database answered ${command} to a commit.`);
  }

  async #run(text: string, parameters: readonly unknown[]): Promise<pg.QueryResult> {
    try {
      return await this.#client.query({
        text,
        ...(parameters.length === 0 ? {} : { values: parameters.map(cleaned), ...this.#nameOf(text) }),
      });
    } catch (error) {
      // After the first error, the server only says that there was one.
      if (this.#cause !== undefined && (error as { readonly code?: string }).code === IN_FAILED_TRANSACTION) {
        throw this.#cause;
      }
      throw (this.#cause = explain(this.#place, error));
    }
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('The ledger reads page by page.');
  }

  release(): void {
    this.#unit = undefined;
    this.#trouble = undefined;
    this.#cause = undefined;
    this.#client.release();
  }

  /** A statement with a name is planned once for each connection. */
  #nameOf(sql: string): { readonly name?: string } {
    const known = this.#names.get(sql);
    if (known !== undefined) return { name: known };
    if (this.#names.size >= MOST_STATEMENTS) return {};
    const name = `s${String(this.#names.size)}`;
    this.#names.set(sql, name);
    return { name };
  }
}

/** PostgreSQL keeps no NUL in a text. */
export function cleaned<T>(value: T): T | string {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}
