import { randomUUID } from 'node:crypto';
import { acceptanceIn } from '../database/acceptances.ts';

/**
 * Which server this is, as an expression, on a primary: the cluster's identifier, which physical copies share, and its
 * timeline, which changes when a replica takes over or a backup is restored.
 */
export const ORIGIN = `(select system_identifier::text from pg_control_system()) || '/' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)`;

/**
 * Which tables on that server these are, as an expression, once they are made: numbers of the database and of table
 * `facts`. A dump that is put back and a database made from another as its template have others.
 */
export const TABLES_HERE = `(select oid::text from pg_database where datname = current_database()) || '/' || 'facts'::regclass::oid::text`;

/**
 * The fact that a process leaves that sees the database set back: it misses a commit of its own, or what it wrote to an
 * acceptance that this one does not come after, which no process that begins later can know. Its value says as what the
 * database was accepted then; once it is accepted anew, it is void.
 */
export const SET_BACK_FACT = 'set-back';

/** Where a session is: {@link ORIGIN}, {@link TABLES_HERE} and the value of {@link SET_BACK_FACT}. */
export interface Here {
  readonly origin: string;
  readonly tables: string;
  readonly setBack: string | null | undefined;
}

/**
 * The fact of a database that becomes the ledger's: origin, an id, tables. The first two words are what programs
 * compare that know no tables. The id is another each time, so that no process compares its mark with one from before a
 * copy was accepted.
 */
export function newFact({ origin, tables }: Here): string {
  return `${origin} ${randomUUID()} ${tables}`;
}

/** Whether the database that was accepted so is on the server of this origin. */
export function isFromOrigin(origin: string, acceptance: string): boolean {
  return acceptance.startsWith(`${origin} `);
}

/** The fact with these tables. */
export function withTables(fact: string, tables: string): string {
  return `${acceptanceIn(fact)} ${tables}`;
}

/**
 * Whether this fact was written here, and the database was not set back since. One of an older program says nothing of
 * tables.
 */
export function isWrittenHere(fact: string, here: Here): boolean {
  const [origin, , tables = here.tables] = fact.split(' ');
  return origin === here.origin && tables === here.tables && here.setBack !== acceptanceIn(fact);
}
