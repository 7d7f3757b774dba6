import { randomUUID } from 'node:crypto';
import { acceptanceIn } from '../database/acceptances.ts';

/*
 * What identifies a PostgreSQL database, so that a copy of it can be told from the original.
 */

/**
 * SQL expression for the identity of a primary server, its *origin*: the cluster's identifier, which physical copies
 * share, and the timeline, which changes when a replica takes over or a backup is restored.
 */
export const ORIGIN = `(select system_identifier::text from pg_control_system()) || '/' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)`;

/**
 * SQL expression for the identity of the tables, which must exist: the oids of the database and of the table `facts`.
 * They differ in a dump that is loaded again, and in a database created from another as its template.
 */
export const TABLES_HERE = `(select oid::text from pg_database where datname = current_database()) || '/' || 'facts'::regclass::oid::text`;

/**
 * The fact that a process records when it finds the database set back to an earlier state: a commit of its own is
 * missing, or the acceptance that it wrote to. Processes that start later could not find that out. The value is the
 * acceptance of the set-back database, so that accepting it anew voids the fact.
 */
export const SET_BACK_FACT = 'set-back';

/** What identifies the database of a session: {@link ORIGIN}, {@link TABLES_HERE} and {@link SET_BACK_FACT}. */
export interface Here {
  readonly origin: string;
  readonly tables: string;
  readonly setBack: string | null | undefined;
}

/**
 * Returns a new value of `DATABASE_FACT` (`acceptances.ts`) for a database that becomes the ledger's: `ORIGIN ID
 * TABLES`. The random id is new for each acceptance, so that no process compares its mark with one from before a copy
 * was accepted. Older programs know and compare only the first two.
 */
export function newFact({ origin, tables }: Here): string {
  return `${origin} ${randomUUID()} ${tables}`;
}

/** Whether an acceptance was made on the server of this origin. */
export function isFromOrigin(origin: string, acceptance: string): boolean {
  return acceptance.startsWith(`${origin} `);
}

/** Returns the value of `DATABASE_FACT` with these tables. */
export function withTables(fact: string, tables: string): string {
  return `${acceptanceIn(fact)} ${tables}`;
}

/**
 * Whether a value of `DATABASE_FACT` was written in this very database, which was not set back since. A value of an
 * older program lacks the tables.
 */
export function isWrittenHere(fact: string, here: Here): boolean {
  const [origin, , tables = here.tables] = fact.split(' ');
  return origin === here.origin && tables === here.tables && here.setBack !== acceptanceIn(fact);
}
