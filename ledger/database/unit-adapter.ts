import type { DialectAdapter, Kysely, QueryExecutorProvider } from 'kysely';
import type { Outage } from '../../store/outage.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** Kysely adapter of a database server: a group of writes runs as a {@link UnitOfWork}. */
export interface UnitAdapter {
  /** Retries calls while the database server does not answer. */
  readonly outage: Outage;
  /** Ends such waits, and limits how long later answers may take: for a process that must end. */
  stopWaiting(): void;
  /** Begins the unit of work of the write transaction that has just begun. */
  beginUnit(): UnitOfWork;
  /** Wraps a ledger of this database so that it can restore recent requests in a copy; see `recorded-lately.ts`. */
  withMemory<Ledger extends object>(ledger: Ledger): Ledger;
  /** Updates the planner's statistics after many rows were added, if the role may do that. */
  afterLoading(db: QueryExecutorProvider): Promise<void>;
}

/** The adapter of this database; undefined for a database in a file. */
export function unitAdapterOf(db: Pick<Kysely<unknown>, 'getExecutor'>): UnitAdapter | undefined {
  const { adapter } = db.getExecutor();
  return 'beginUnit' in adapter ? (adapter as DialectAdapter & UnitAdapter) : undefined;
}
