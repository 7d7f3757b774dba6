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
import { BEGIN_WRITING, LOOK_UP_BY_KEY, type Session } from './sessions.ts';
import { recordRefusal, refusal, SET_FACT, identify, type DatabaseIdentity } from './database-identity.ts';

/**
 * https://www.postgresql.org/docs/current/errcodes-appendix.html: the transaction failed before, or so failed the
 * preparation of the same statement.
 */
const CONSEQUENCES = ['25P02', '26000'];

/** By the owner of the tables: workers and operators with roles of their own may not change this fact. */
const ADD_TABLES = `update facts set value = $2 where name = $1
  and (select pg_has_role(relowner, 'usage') from pg_class where oid = 'facts'::regclass)`;

/** A connection to the ledger. Statements go out when they are asked for, one behind the other. */
export class LedgerConnection implements DatabaseConnection, UnitConnection {
  readonly #place: string;
  readonly #outage: Outage;
  readonly #renew: (broken: Session) => Promise<Session>;
  #session: Session;
  #isInTransaction = false;
  #unit: UnitOfWork | undefined;
  /**
   * The begin of this transaction. Where the server has cancelled it alone, what is sent behind it is committed
   * statement by statement, without the writers' lock, and a commit is answered as if there had been a transaction.
   */
  #begun: Promise<void> = Promise.resolve();
  /** Whose the ledger is. */
  #whose: Promise<void> | undefined;
  #mark: CommitMark | undefined;
  #planned: CommitMark | undefined;
  /** What a commit of this transaction leaves besides its mark. */
  #leaves: Omit<KeptMark, keyof CommitMark> | undefined;
  /** Why this transaction is refused. */
  #refused:
    | { readonly found: FoundFacts; readonly identity: DatabaseIdentity; readonly reliesOn: string | undefined }
    | undefined;
  /** The first error of a statement that nobody waited for. */
  #trouble: Error | undefined;
  /** The last error that was more than the consequence of another. */
  #cause: Error | undefined;
  /** The last such statement. */
  #sent: Promise<void> = Promise.resolve();

  /** `outage`: of its database. `renew` replaces a broken session, and waits for nothing. */
  constructor(session: Session, place: string, outage: Outage, renew: (broken: Session) => Promise<Session>) {
    this.#session = session;
    this.#place = place;
    this.#outage = outage;
    this.#renew = renew;
  }

  /** Begins to look: sees one moment, and waits for nobody. */
  beginReading(): void {
    this.#isInTransaction = true;
    this.send('begin isolation level repeatable read read only', []);
  }

  /**
   * Begins to write. Writers of all processes follow one another: the lock is taken first, and each later statement
   * sees what the writers before have committed.
   */
  beginWriting(): void {
    this.#isInTransaction = true;
    this.send(BEGIN_WRITING, []);
    this.#begun = this.#settled();
    this.#begun.catch(() => undefined);
  }

  /** What this transaction leaves if it is committed; undefined as long as its commit was not sent. */
  get mark(): KeptMark | undefined {
    return this.#mark === undefined || this.#leaves === undefined ? undefined : { ...this.#mark, ...this.#leaves };
  }

  /** Whether the database may not be written to by this process. */
  get isRefused(): boolean {
    return this.#refused !== undefined;
  }

  /**
   * Only in a ledger whose tables are made. `mark`: of this transaction; `kept`: the last one of this process that was
   * committed.
   */
  beginUnit(mark: CommitMark, kept: KeptMark | undefined): UnitOfWork {
    const asked = [kept?.acceptedAs];
    this.#whose = this.query(SELECT_FACTS, parametersFor(mark.name, asked)).then(async (lines) => {
      await this.#begun;
      this.#admit(toFoundFacts(lines, this.#session.origin, mark.name, asked), kept);
    });
    this.#whose.catch(() => undefined);
    this.send(LOOK_UP_BY_KEY, []);
    this.send(SET_MARK, [mark.name, mark.value]);
    if (kept === undefined) this.send(COUNT_WRITER, []);
    this.#planned = mark;
    return (this.#unit = new UnitOfWork(this, this.#whose));
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

  async #settled(): Promise<void> {
    await this.#sent;
    if (this.#trouble !== undefined) throw this.#trouble;
  }

  /** A transaction in which a statement failed answers ROLLBACK. */
  async commit(): Promise<void> {
    await this.#whose;
    this.#mark = this.#planned;
    const { command } = await this.#run('commit', []);
    await this.#settled();
    if (command !== 'COMMIT') throw new Error(`The database answered ${command} to a commit.`);
  }

  /**
   * Throws {@link LedgerAway} if the ledger was last written in another database than this one: in a copy, what was
   * sent since it was made is not on record, and would be sent again. Which database it is tells a replica that took
   * over and a backup that was restored and rolled forward; which tables, a dump that was put back; a file system that
   * was set back is told by the last mark, and by who has missed one before; a former server, by what it was accepted
   * after.
   */
  #admit(found: FoundFacts, kept: KeptMark | undefined): void {
    const identity = identify(found, kept);
    if (identity !== 'ours') {
      this.#refused = { found, identity, reliesOn: kept?.acceptedAs };
      // So that the next try connects anew, in case the address leads to the former database again.
      this.#session.isBroken = true;
      throw refusal(identity, describePlace(this.#place));
    }
    const { here, ledger, ledgerOf } = found;
    const fact = ledgerOf === undefined ? newFact(here) : withTables(ledgerOf, here.tables);
    const isFirst = ledgerOf === undefined;
    const writers = found.writers + (kept === undefined ? 1 : 0);
    this.#leaves = { acceptedAs: acceptanceIn(fact), isFirst, ledger, writers };
    if (isFirst) this.send(SET_FACT, [DATABASE_FACT, fact]);
    // One of an older program says nothing of tables.
    else if (fact !== ledgerOf) this.send(ADD_TABLES, [DATABASE_FACT, fact]);
  }

  async rollback(): Promise<void> {
    // What waits to be written has no effect.
    this.#unit = undefined;
    await this.#run('rollback', []);
    if (this.#refused === undefined) return;
    const { found, identity, reliesOn } = this.#refused;
    // Not as a write of the ledger's, which is refused. If it fails, the next try says it again.
    await recordRefusal(this.#session, found, identity, reliesOn).catch(() => undefined);
  }

  async #run(text: string, parameters: readonly unknown[]): Promise<pg.QueryResult> {
    // What a group has written so far comes first.
    this.#unit?.sendWrites();
    try {
      return await this.#session.query(text, cleanedAll(parameters));
    } catch (error) {
      // After the first error, the server only says that there was one.
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

  /** Gives the session back. */
  release(): Session {
    return this.#session;
  }
}

/** PostgreSQL keeps no NUL in a text. */
export function cleaned<T>(value: T): T | string {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}

function cleanedAll(values: readonly unknown[]): unknown[] {
  return values.map((value) => (Array.isArray(value) ? cleanedAll(value) : cleaned(value)));
}
