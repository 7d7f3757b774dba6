import type pg from 'pg';
import { LedgerAway, LedgerUnreachable } from '../errors.ts';
import { connectionTo } from './connection-settings.ts';
import { describePlace } from './describe-place.ts';
import { LedgerNeedsPerson } from './errors.ts';
import { ORIGIN } from './origin.ts';

/** The oldest version of PostgreSQL that is tested. */
const MIN_VERSION = 15;

/** What {@link checkServer} reads. */
interface ServerFacts {
  readonly version: number;
  readonly is_replica: boolean;
  /** Null on a replica. */
  readonly origin: string | null;
  readonly fsync: string;
  readonly synchronous_commit: string;
  readonly schema: string | null;
}

/**
 * Checks a server at the beginning of a session, and returns its identity; see {@link ORIGIN}. Throws {@link
 * LedgerAway} for a replica, and {@link LedgerUnreachable} for a server that is too old or could lose what it has
 * confirmed. In a process that `hasConnected` before, the latter is a {@link LedgerNeedsPerson}: it waits until a
 * person has fixed that.
 */
export async function checkServer(client: pg.ClientBase, place: string, hasConnected: boolean): Promise<string> {
  const { rows } = await client.query<ServerFacts>(`
    select current_setting('server_version_num')::int / 10000 as version, pg_is_in_recovery() as is_replica,
      case when not pg_is_in_recovery() then ${ORIGIN} end as origin,
      current_setting('fsync') as fsync, current_setting('synchronous_commit') as synchronous_commit,
      current_setting('search_path') as schema`);
  const [{ version, is_replica: isReplica, origin, ...facts } = {} as ServerFacts] = rows;
  const Refused = hasConnected ? LedgerNeedsPerson : LedgerUnreachable;
  const refuse = (problem: string, advice: string): LedgerUnreachable =>
    new Refused(describePlace(place), problem, advice);
  if (version < MIN_VERSION) {
    throw refuse(`the database server is PostgreSQL ${version}`, `Use PostgreSQL ${MIN_VERSION} or newer.`);
  }
  if (isReplica || origin === null) {
    throw new LedgerAway(
      describePlace(place),
      'the database server is a replica, which takes no records',
      'Connect to the primary server.',
    );
  }
  if (facts.fsync !== 'on') {
    throw refuse('the database server has fsync off, and may forget what was paid', 'Set fsync = on there.');
  }
  const isOurs = facts.schema === connectionTo(place).schema;
  if (!isOurs || !['on', 'remote_apply'].includes(facts.synchronous_commit)) {
    const problem = `a pooler or the server drops the settings of a session (synchronous_commit is ${facts.synchronous_commit})`;
    throw refuse(
      problem,
      'Connect to the server itself, or through a pooler in session mode that passes `options` on.',
    );
  }
  return origin;
}
