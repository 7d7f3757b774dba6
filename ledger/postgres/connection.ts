import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import type pg from 'pg';
import { UnitOfWork, type UnitConnection } from '../database/unit-of-work.ts';
import { LedgerAway } from '../errors.ts';
import type { Outage } from '../../store/outage.ts';
import { explain } from './errors.ts';
import { acceptanceIn, DATABASE_FACT } from '../database/acceptances.ts';
import { describePlace } from './describe-place.ts';
import { parametersFor, toFoundFacts, SELECT_FACTS, type FoundFacts } from './found-facts.ts';
import { COUNT_WRITER, SET_MARK, type CommitMark, type KeptMark } from './marks.ts';
import { newFact, withTables } from './origin.ts';
import { BEGIN_WRITING, LOOK_UP_BY_KEY, type Session } from './session.ts';
import { recordRefusal, refusal, SET_FACT, identify, type DatabaseIdentity } from './database-identity.ts';

/**
 * Error codes that only follow from an earlier error: in_failed_sql_transaction, and invalid_sql_statement_name for a
 * statement whose preparation failed. See https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const CONSEQUENCES = ['25P02', '26000'];

/** Sets the fact only if the role owns the tables: roles of workers and operators may not update it. */
const ADD_TABLES = `update facts set value = $2 where name = $1
  and (select pg_has_role(relowner, 'usage') from pg_class where oid = 'facts'::regclass)`;

/**
 * A connection to the ledger, for one transaction at a time. Statements are pipelined: each is sent at once, without
 * waiting for the answer to the one before.
 */
export class LedgerConnection implements DatabaseConnection, UnitConnection {
  readonly #place: string;
  readonly #outage: Outage;
  readonly #renew: (broken: Session) => Promise<Session>;
  #session: Session;
  #isInTransaction = false;
  #unit: UnitOfWork | undefined;
  /**
   * The answer to `begin`. It must be awaited before other statements count: if the server cancels `begin` alone, later
   * statements are each committed by themselves, without the writers' lock, and `commit` is answered as usual.
   */
  #begun: Promise<void> = Promise.resolve();
  /** Whether this database may be written to: resolves once it is known, rejects if it may not. */
  #admitted: Promise<void> | undefined;
  /** Mark of this transaction, once its commit was sent. */
  #mark: CommitMark | undefined;
  /** Mark of this transaction. */
  #planned: CommitMark | undefined;
  /** What a commit of this transaction puts on record besides its mark. */
  #leaves: Omit<KeptMark, keyof CommitMark> | undefined;
  /** Why this transaction is refused. */
  #refused:
    | { readonly found: FoundFacts; readonly identity: DatabaseIdentity; readonly reliesOn: string | undefined }
    | undefined;
  /** The first error of a statement that nobody waited for. */
  #trouble: Error | undefined;
  /** The last error that did not merely follow from an earlier one. */
  #cause: Error | undefined;
  /** Settles with the last statement that nobody waited for. */
  #sent: Promise<void> = Promise.resolve();

  /** `outage`: retries reads while the server does not answer. `renew`: replaces a broken session, without waiting. */
  constructor(session: Session, place: string, outage: Outage, renew: (broken: Session) => Promise<Session>) {
    this.#session = session;
    this.#place = place;
    this.#outage = outage;
    this.#renew = renew;
  }

  /** Begins a read transaction on a snapshot. Never waits for writers. */
  beginReading(): void {
    this.#isInTransaction = true;
    this.send('begin isolation level repeatable read read only', []);
  }

  /**
   * Begins a write transaction. Takes the writers' lock of the ledger first, so that writers of all processes follow
   * one another, and each later statement sees what the earlier writers have committed.
   */
  beginWriting(): void {
    this.#isInTransaction = true;
    this.send(BEGIN_WRITING, []);
    this.#begun = this.#settled();
    this.#begun.catch(() => undefined);
  }

  /** What this transaction puts on record if it is committed; undefined until its commit is sent. */
  get mark(): KeptMark | undefined {
    return this.#mark === undefined || this.#leaves === undefined ? undefined : { ...this.#mark, ...this.#leaves };
  }

  /** Whether the database may not be written to by this process. */
  get isRefused(): boolean {
    return this.#refused !== undefined;
  }

  /**
   * Begins the unit of work of this write transaction, in a ledger whose tables exist. `mark`: of this transaction;
   * `kept`: of the last transaction of this process that was committed.
   */
  beginUnit(mark: CommitMark, kept: KeptMark | undefined): UnitOfWork {
    const acceptances = [kept?.acceptedAs];
    this.#admitted = this.query(SELECT_FACTS, parametersFor(mark.name, acceptances)).then(async (lines) => {
      await this.#begun;
      this.#admit(toFoundFacts(lines, this.#session.origin, mark.name, acceptances), kept);
    });
    this.#admitted.catch(() => undefined);
    this.send(LOOK_UP_BY_KEY, []);
    this.send(SET_MARK, [mark.name, mark.value]);
    // The first transaction of this process.
    if (kept === undefined) this.send(COUNT_WRITER, []);
    this.#planned = mark;
    return (this.#unit = new UnitOfWork(this, this.#admitted));
  }

  async executeQuery<R>({ sql: text, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
    const isRead = query.kind === 'SelectQueryNode';
    if (this.#unit === undefined) await this.#begun;
    if (!isRead) this.#unit?.forgetAll();
    const { rows, rowCount } = await (this.#isInTransaction || !isRead
      ? this.#run(text, parameters)
      : this.#outage.repeat(() => this.#runAlone(text, parameters)));
    return { rows: rows as R[], numAffectedRows: BigInt(rowCount ?? 0) };
  }

  /** Runs a read outside of a transaction. */
  async #runAlone(text: string, parameters: readonly unknown[]): Promise<pg.QueryResult> {
    if (this.#session.isBroken) this.#session = await this.#renew(this.#session);
    this.#cause = undefined;
    return this.#run(text, parameters);
  }

  async query(text: string, values: readonly unknown[]): Promise<readonly unknown[]> {
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

  /** Waits for the statements that nobody waited for. Throws the first of their errors. */
  async #settled(): Promise<void> {
    await this.#sent;
    if (this.#trouble !== undefined) throw this.#trouble;
  }

  /** Commits. Throws if it fails; the server answers ROLLBACK if a statement of the transaction failed. */
  async commit(): Promise<void> {
    await this.#admitted;
    this.#mark = this.#planned;
    const { command } = await this.#run('commit', []);
    await this.#settled();
    if (command !== 'COMMIT') throw new Error(`The database answered ${command} to a commit.`);
  }

  /**
   * Throws {@link LedgerAway} if this database is not the one in which the ledger was last written: a copy lacks
   * requests that were sent since it was made, and they would be sent again. Copies are recognised by:
   *
   * - the server's identity: a replica that took over, or a backup that was restored and rolled forward;
   * - the numbers of its tables: a dump that was loaded again;
   * - this process's last mark, or the fact of a process that missed its own: a file system that was set back;
   * - its acceptance, which does not follow the one that this process wrote to: a former server.
   */
  #admit(found: FoundFacts, kept: KeptMark | undefined): void {
    const identity = identify(found, kept);
    if (identity !== 'ours') {
      this.#refused = { found, identity, reliesOn: kept?.acceptedAs };
      // The next try then connects anew, in case the address leads to the former database again.
      this.#session.isBroken = true;
      throw refusal(identity, describePlace(this.#place));
    }
    const { here, ledger, ledgerOf } = found;
    const fact = ledgerOf === undefined ? newFact(here) : withTables(ledgerOf, here.tables);
    const isFirst = ledgerOf === undefined;
    const writers = found.writers + (kept === undefined ? 1 : 0);
    this.#leaves = { acceptedAs: acceptanceIn(fact), isFirst, ledger, writers };
    if (isFirst) this.send(SET_FACT, [DATABASE_FACT, fact]);
    // A fact written by an older program lacks the tables.
    else if (fact !== ledgerOf) this.send(ADD_TABLES, [DATABASE_FACT, fact]);
  }

  async rollback(): Promise<void> {
    // Drops the queued writes.
    this.#unit = undefined;
    await this.#run('rollback', []);
    if (this.#refused === undefined) return;
    const { found, identity, reliesOn } = this.#refused;
    // Outside of the ledger's transactions, which are refused. If it fails, the next try records it.
    await recordRefusal(this.#session, found, identity, reliesOn).catch(() => undefined);
  }

  async #run(text: string, parameters: readonly unknown[]): Promise<pg.QueryResult> {
    // The queued writes come first.
    this.#unit?.sendWrites();
    try {
      return await this.#session.query(text, cleanedAll(parameters));
    } catch (error) {
      // After the first error, the server reports only that there was one.
      const { code = '' } = error as { readonly code?: string };
      if (this.#cause !== undefined && CONSEQUENCES.includes(code)) throw this.#cause;
      this.#cause = explain(this.#place, error);
      if (this.#cause instanceof LedgerAway) this.#session.isBroken = true;
      throw this.#cause;
    }
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('The ledger reads page by page.');
  }

  /** Returns the session, for the pool. */
  release(): Session {
    return this.#session;
  }
}

/** Replaces NUL, which PostgreSQL cannot store in text. */
export function cleaned<T>(value: T): T | string {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}

function cleanedAll(values: readonly unknown[]): unknown[] {
  return values.map((value) => (Array.isArray(value) ? cleanedAll(value) : cleaned(value)));
}
