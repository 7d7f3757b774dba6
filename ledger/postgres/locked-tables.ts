import { sql, type Kysely } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import { LedgerUnreachable } from '../errors.ts';
import type { Schema } from '../schema.ts';
import { describePlace } from './describe-place.ts';

/** Max time that a migration waits for each table's lock, ms: other statements on that table wait behind it. */
export const MAX_WAIT_MS = 2_000;

/** Max tries of a migration, and the pause between two, in which others can work, ms. In all about a minute. */
const TRIES = { max: 6, pauseMs: 8_000 };

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: lock_not_available, deadlock_detected */
const OF_LOCKS = ['55P03', '40P01'];

/**
 * Runs a migration, and retries while other sessions use the tables. Throws `LedgerUnreachable`, naming these sessions,
 * if they did so at each try.
 */
export async function retryMigration(
  db: Kysely<Schema>,
  place: string,
  migrate: () => Promise<void>,
  { max, pauseMs } = TRIES,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await migrate();
      return;
    } catch (error) {
      if (!isAboutLocks(error)) throw error;
      if (tries === max) {
        const problem = `its tables must be updated, and were in use each of the ${max} times that this was tried: ${await whoUsesThem(db)}. Nothing was changed, and nothing was sent`;
        const advice = 'Wait for that session, or end it (pg_terminate_backend), and run the same command again.';
        throw new LedgerUnreachable(describePlace(place), problem, advice, error);
      }
    }
    await sleep(pauseMs);
  }
}

function isAboutLocks(error: unknown): boolean {
  const { cause } = error as { readonly cause?: { readonly code?: string } };
  return OF_LOCKS.includes(cause?.code ?? '');
}

/** A session that uses a table. */
interface User {
  /** Null for a prepared transaction (two-phase commit). */
  readonly pid: number | null;
  readonly usename: string | null;
  readonly application_name: string | null;
  /** Start of its transaction; null if this role may not see it (pg_read_all_stats). */
  readonly since: string | null;
}

/** Describes the sessions that have held a lock on a table for longer than a migration waits, oldest first. */
async function whoUsesThem(db: Kysely<Schema>): Promise<string> {
  const { rows } = await sql<User>`
    select distinct l.pid, usename, application_name, to_char(xact_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since
    from pg_locks as l
    join pg_class as c on c.oid = l.relation and c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
    left join pg_stat_activity as a on a.pid = l.pid
    where l.granted and l.pid is distinct from pg_backend_pid()
      and (xact_start is null or xact_start < now() - ${MAX_WAIT_MS} * interval '1 ms')
      and l.database = (select oid from pg_database where datname = current_database())
    order by since limit 3`.execute(db);
  return rows.length === 0 ? 'it is not known by whom' : rows.map(sessionWords).join('; ');
}

function sessionWords({ pid, usename, application_name: program, since }: User): string {
  if (pid === null) return 'a prepared transaction (pg_prepared_xacts)';
  const begun = since === null ? '' : `, in a transaction since ${since}`;
  return `session ${pid} of user ${usename ?? '(unknown)'} (${program === null || program === '' ? 'an unnamed program' : program}${begun})`;
}
