import pg from 'pg';
import { FORMER_OR_ACCEPT, LedgerAway, LedgerUnreachable } from '../errors.ts';
import type { Outage } from '../../store/outage.ts';
import { connectionTo } from './connection-settings.ts';
import { describePlace } from './describe-place.ts';
import { explain, explainConnecting, LedgerNeedsPerson } from './errors.ts';
import { ORIGIN } from './origin.ts';
import { usePasswordFile } from './password-file.ts';
import { NO_RIGHT, RightTaken, wasAllowed } from './taken-rights.ts';

/*
 * Sessions at the database server: how one begins, is checked and sends statements, and the pool of a process.
 */

/** Max sessions of a process: one writes, the others read. */
const MAX_SESSIONS = 4;
/** Max prepared statements of a session. Lists of varying length keep making new ones; later ones run unprepared. */
const MAX_STATEMENTS = 300;
/** The oldest version of PostgreSQL that is tested. */
const MIN_VERSION = 15;
/** Max time to connect, ms. */
const CONNECT_MS = 10_000;
/** Max time for an answer in a process that must end, ms: for the `first` that does not come, and for each after it. */
const LAST_ANSWERS_MS = { first: 10_000, next: 2_000 };

/**
 * Begins a write transaction: takes the writers' lock, which one process at a time has. Read committed, whatever the
 * server's default is: with a stricter level, it would see the state from before it waited for the lock.
 */
export const BEGIN_WRITING =
  'begin isolation level read committed; select pg_advisory_xact_lock(hashtext(current_schema()))';

/**
 * Planner settings for the rest of a transaction, so that each line is looked up by its key. The planner has no
 * statistics of tables that were just filled, and would scan them as a whole. With scans switched off, it considers a
 * statement without a usable key very expensive, and would compile it each time (`jit`), in a quarter of a second.
 *
 * Generic plans, so that each statement is planned once: otherwise the planner finds statements with short lists
 * cheaper than the generic plan, and plans them each time. Conditions of partial indexes are literals
 * (`ledger/conditions.ts`), so generic plans can use these indexes.
 */
export const LOOK_UP_BY_KEY = [
  ...['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin', 'jit'].map((way) => `set local ${way} = off`),
  'set local plan_cache_mode = force_generic_plan',
].join('; ');

/** What the sessions of a process share. */
interface SessionState {
  /** Texts of statements that have succeeded, and so were allowed; up to {@link MAX_STATEMENTS}. */
  readonly done: Set<string>;
  /** The process must end, so answers may take only {@link LAST_ANSWERS_MS}. */
  isLimited: boolean;
  /** In that time, the last answer has not come. */
  isSilent: boolean;
}

/** A statement without an answer yet. `since`: monotonic ms. */
interface Waiting {
  readonly since: number;
  timer?: NodeJS.Timeout;
}

/** A session at the database server, checked to be safe for a ledger. */
export class Session {
  readonly client: pg.PoolClient;
  /** Identity of its server, which a copy does not share; see {@link ORIGIN}. */
  readonly origin: string;
  /** Names of the prepared statements, by text. */
  readonly #names = new Map<string, string>();
  readonly #state: SessionState;
  readonly #waiting = new Set<Waiting>();
  isBroken = false;

  constructor(client: pg.PoolClient, origin: string, state: SessionState) {
    this.client = client;
    this.origin = origin;
    this.#state = state;
  }

  /** Sends a statement at once. A statement with values is prepared once per session. */
  async query(text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    const waiting: Waiting = { since: performance.now() };
    this.#waiting.add(waiting);
    if (this.#state.isLimited) this.#limit(waiting);
    try {
      const answer = await this.client.query({
        text,
        ...(values.length === 0 ? {} : { values: [...values], ...this.#nameOf(text) }),
      });
      this.#state.isSilent = false;
      if (this.#state.done.size < MAX_STATEMENTS) this.#state.done.add(text);
      return answer;
    } catch (error) {
      const { code } = error as { readonly code?: string };
      throw code === NO_RIGHT && wasAllowed(text, this.#state.done) ? new RightTaken(error as Error) : error;
    } finally {
      clearTimeout(waiting.timer);
      this.#waiting.delete(waiting);
    }
  }

  /** For a process that must end: closes the connection if an answer takes too long. */
  limitAnswers(): void {
    for (const waiting of this.#waiting) this.#limit(waiting);
  }

  #limit(waiting: Waiting): void {
    const { first, next } = LAST_ANSWERS_MS;
    const leftMs = (this.#state.isSilent ? next : first) - (performance.now() - waiting.since);
    waiting.timer ??= setTimeout(() => {
      this.#state.isSilent = true;
      this.isBroken = true;
      this.client.connection.stream.destroy();
    }, leftMs);
  }

  #nameOf(sql: string): { readonly name?: string } {
    const known = this.#names.get(sql);
    if (known !== undefined) return { name: known };
    if (this.#names.size >= MAX_STATEMENTS) return {};
    const name = `s${String(this.#names.size)}`;
    this.#names.set(sql, name);
    return { name };
  }
}

/**
 * Makes the server notice lost clients while a session waits for the writers' lock. Otherwise such a session stays
 * until it has had the lock, and each process that gives up and tries again leaves one behind.
 */
const NOTICE_LOST_CLIENTS = "set client_connection_check_interval = '10s'";

/**
 * A client that reads the password file, and hangs up if it cannot connect; `pg` leaves that to the server's timeout.
 */
class Client extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    usePasswordFile(this);
    // Without a listener, a client that the server ends just when the pool hands it out would crash the process.
    this.on('error', () => undefined);
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.Client> | undefined {
    if (callback === undefined) return super.connect();
    super.connect((error: Error | null, client: pg.Client) => {
      callback(error, client);
      if (error !== null) void this.end().catch(() => undefined);
    });
    return undefined;
  }
}

type Connected = (error: Error | null, client: pg.Client) => void;

/** The sessions of this process: a pool, in which a broken session is replaced once the server answers. */
export class Sessions {
  readonly #pool: pg.Pool;
  readonly #place: string;
  readonly #outage: Outage;
  readonly #known = new WeakMap<pg.PoolClient, Session>();
  readonly #taken = new Set<Session>();
  readonly #state: SessionState = { done: new Set(), isLimited: false, isSilent: false };
  #hasConnected = false;

  /** `answerMs`: how long the answer to a statement may take before the connection counts as broken. */
  constructor(place: string, outage: Outage, answerMs: number) {
    this.#place = place;
    this.#outage = outage;
    this.#pool = new pg.Pool({
      ...connectionTo(place).config,
      Client,
      pipeline: true,
      max: MAX_SESSIONS,
      query_timeout: answerMs,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    // Without a listener, a connection that breaks while idle would crash the process. The next query reports it.
    this.#pool.on('error', () => undefined);
  }

  /** Returns a session. Waits until the server answers. Throws `LedgerUnreachable`. */
  get(): Promise<Session> {
    return this.#outage.repeat(() => this.open());
  }

  /** Like {@link get}, but does not wait for a server that does not answer. */
  async open(): Promise<Session> {
    try {
      const client = await this.#pool.connect();
      const session = this.#known.get(client) ?? (await this.#begin(client));
      this.#hasConnected = true;
      this.#taken.add(session);
      return session;
    } catch (error) {
      throw explainConnecting(this.#place, error, this.#hasConnected);
    }
  }

  /**
   * For a process that must end: limits how long answers may take from now on, also those that are awaited already.
   */
  limitAnswers(): void {
    this.#state.isLimited = true;
    this.#pool.options.connectionTimeoutMillis = LAST_ANSWERS_MS.next;
    for (const session of this.#taken) session.limitAnswers();
  }

  /** Whether, since {@link limitAnswers}, the last answer has not come. */
  get isSilent(): boolean {
    return this.#state.isSilent;
  }

  async #begin(client: pg.PoolClient): Promise<Session> {
    let session: Session | undefined;
    // Added before the first query: without a listener, a connection that breaks would crash the process.
    client.on('error', () => {
      if (session !== undefined) session.isBroken = true;
    });
    // Servers on Windows, among others, refuse this setting. If the connection is broken, the next query fails, too.
    client.query(NOTICE_LOST_CLIENTS).catch(() => undefined);
    try {
      session = new Session(client, await checkServer(client, this.#place, this.#hasConnected), this.#state);
      this.#known.set(client, session);
      return session;
    } finally {
      if (session === undefined) client.release(true);
    }
  }

  /** Calls `work` with a session, which is closed if `work` throws. Does not wait for a server that does not answer. */
  async using<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.open();
    try {
      return await work(session);
    } catch (error) {
      session.isBroken = true;
      throw explain(this.#place, error);
    } finally {
      this.put(session);
    }
  }

  /**
   * Returns the error for a commit whose outcome only the former database knows. `mayBeAccepted`: or the present one,
   * once a person has accepted it.
   */
  notTheSame(mayBeAccepted: boolean): LedgerAway {
    return new LedgerAway(
      describePlace(this.#place),
      'the connection was lost at a commit, and another database answers now, which does not know whether it was kept',
      mayBeAccepted ? FORMER_OR_ACCEPT : 'Connect to the former database, or end this process.',
      undefined,
      true,
    );
  }

  /** Returns a session to the pool. No effect if it was returned already. */
  put(session: Session): void {
    if (!this.#taken.delete(session)) return;
    session.client.release(session.isBroken);
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

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
 * Throws if the server could lose what it has confirmed, is too old, or is a replica. A process that `hasConnected`
 * before waits until a person has fixed that. Returns the identity of the server, see {@link ORIGIN}.
 */
async function checkServer(client: pg.ClientBase, place: string, hasConnected: boolean): Promise<string> {
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
