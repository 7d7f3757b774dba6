import type { DialectAdapter, Kysely, QueryExecutorProvider } from 'kysely';
import type { Outage } from '../../store/outage.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** Adapter of a database that is reached over the network: the work of a group is a {@link UnitOfWork}. */
export interface UnitAdapter {
  /** Waits for the database while it does not answer. */
  readonly outage: Outage;
  /** Ends that, and waits for no answer for long: for a process that must end. */
  stopWaiting(): void;
  /** Called once the transaction of a group has begun. */
  beginUnit(): UnitOfWork;
  /** A ledger of this database that records again what a copy of it lacks of what this process recorded lately. */
  withMemory<Ledger extends object>(ledger: Ledger): Ledger;
  /** Many rows were added: what its planner knows of them is brought up to date, as far as it lets us. */
  afterLoading(db: QueryExecutorProvider): Promise<void>;
}

/** The adapter of this database; undefined if it is not reached over the network. */
export function unitAdapterOf(db: Pick<Kysely<unknown>, 'getExecutor'>): UnitAdapter | undefined {
  const { adapter } = db.getExecutor();
  return 'beginUnit' in adapter ? (adapter as DialectAdapter & UnitAdapter) : undefined;
}
