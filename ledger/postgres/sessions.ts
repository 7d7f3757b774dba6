import pg from 'pg';
import { FORMER_OR_ACCEPT, LedgerAway, LedgerUnreachable } from '../errors.ts';
import type { Outage } from '../../store/outage.ts';
import { connectionTo } from './connection-settings.ts';
import { describePlace } from './describe-place.ts';
import { explain, explainConnecting, LedgerNeedsPerson } from './errors.ts';
import { ORIGIN } from './origin.ts';
import { usePasswordFile } from './password-file.ts';
import { NO_RIGHT, RightTaken, wasAllowed } from './taken-rights.ts';

/** Sessions of a process: one writes, the others look. */
const MOST_SESSIONS = 4;
/** Prepared statements that a session keeps. Lists of varying length make new ones; those run unprepared after that. */
const MOST_STATEMENTS = 300;
/** The oldest version of PostgreSQL that is tested. */
const OLDEST_VERSION = 15;
const CONNECT_MS = 10_000;
/** How long an answer may take in a process that must end, ms: the first that does not come, and those after it. */
const LAST_ANSWERS_MS = { first: 10_000, next: 2_000 };

/**
 * Begins a transaction of the one writer at a time, in all processes. Read committed, whatever the server's default is:
 * otherwise it would see what there was before it waited for the lock.
 */
export const BEGIN_WRITING =
  'begin isolation level read committed; select pg_advisory_xact_lock(hashtext(current_schema()))';

/**
 * For the rest of a transaction, each line is looked up by its key. The planner, which knows nothing of tables that
 * were just filled, would rather walk them as a whole for the lines of a group. It then takes a statement that has no
 * key to look up by for a very dear one, which the server would compile each time, in a quarter of a second.
 *
 * Statements are planned once. Otherwise the planner takes one whose lists happen to be short for better than the plan
 * that it has, and plans it each time. Conditions of partial indexes are no parameters (`ledger/conditions.ts`), so
 * plans need none.
 */
export const LOOK_UP_BY_KEY = [
  ...['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin', 'jit'].map((way) => `set local ${way} = off`),
  'set local plan_cache_mode = force_generic_plan',
].join('; ');

/** What the sessions of a process share. */
interface Line {
  /** Statements that have succeeded, as many as a session prepares. */
  readonly done: Set<string>;
  /** The process must end, and waits for no answer for long. */
  isLimited: boolean;
  /** Since it is limited, the last answer has not come. */
  isSilent: boolean;
}

/** A statement without an answer. */
interface Waiting {
  readonly since: number;
  timer?: NodeJS.Timeout;
}

/** A session at the database server, checked to be safe for a ledger. */
export class Session {
  readonly client: pg.PoolClient;
  /** Which server this is: a copy of it has another. See {@link ORIGIN}. */
  readonly origin: string;
  readonly #names = new Map<string, string>();
  readonly #line: Line;
  readonly #waiting = new Set<Waiting>();
  isBroken = false;

  constructor(client: pg.PoolClient, origin: string, line: Line) {
    this.client = client;
    this.origin = origin;
    this.#line = line;
  }

  /** Sends a statement at once. A statement with values is planned once for each session. */
  async query(text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    const waiting: Waiting = { since: performance.now() };
    this.#waiting.add(waiting);
    if (this.#line.isLimited) this.#limit(waiting);
    try {
      const answer = await this.client.query({
        text,
        ...(values.length === 0 ? {} : { values: [...values], ...this.#nameOf(text) }),
      });
      this.#line.isSilent = false;
      if (this.#line.done.size < MOST_STATEMENTS) this.#line.done.add(text);
      return answer;
    } catch (error) {
      const { code } = error as { readonly code?: string };
      throw code === NO_RIGHT && wasAllowed(text, this.#line.done) ? new RightTaken(error as Error) : error;
    } finally {
      clearTimeout(waiting.timer);
      this.#waiting.delete(waiting);
    }
  }

  /** Cuts the line if an answer that is waited for takes too long for a process that must end. */
  limitAnswers(): void {
    for (const waiting of this.#waiting) this.#limit(waiting);
  }

  #limit(waiting: Waiting): void {
    const { first, next } = LAST_ANSWERS_MS;
    const leftMs = (this.#line.isSilent ? next : first) - (performance.now() - waiting.since);
    waiting.timer ??= setTimeout(() => {
      this.#line.isSilent = true;
      this.isBroken = true;
      this.client.connection.stream.destroy();
    }, leftMs);
  }

  #nameOf(sql: string): { readonly name?: string } {
    const known = this.#names.get(sql);
    if (known !== undefined) return { name: known };
    if (this.#names.size >= MOST_STATEMENTS) return {};
    const name = `s${String(this.#names.size)}`;
    this.#names.set(sql, name);
    return { name };
  }
}

/**
 * Otherwise a session that waits for the writers' lock would not notice that its client is gone, and stay until it has
 * had the lock: with a lock that is held for long, each process that gives up and tries again leaves one behind.
 */
const NOTICE_LOST_CLIENTS = "set client_connection_check_interval = '10s'";

/** One that cannot connect hangs up: for a missing password, it would leave that to the server, a minute later. */
class Client extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    usePasswordFile(this);
    // Without a listener, one that the server ends in the moment in which it is handed out would end the process.
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

/** The sessions of this process. Each is had again and again; one that breaks is replaced once the server answers. */
export class Sessions {
  readonly #pool: pg.Pool;
  readonly #place: string;
  readonly #outage: Outage;
  readonly #known = new WeakMap<pg.PoolClient, Session>();
  readonly #taken = new Set<Session>();
  readonly #line: Line = { done: new Set(), isLimited: false, isSilent: false };
  #hasConnected = false;

  /** `answerMs`: how long the answer to a statement may take before the connection counts as broken. */
  constructor(place: string, outage: Outage, answerMs: number) {
    this.#place = place;
    this.#outage = outage;
    this.#pool = new pg.Pool({
      ...connectionTo(place).config,
      Client,
      pipeline: true,
      max: MOST_SESSIONS,
      query_timeout: answerMs,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    // Without a listener, a connection that breaks while idle would end the process. The next query reports it.
    this.#pool.on('error', () => undefined);
  }

  /** Waits until the server answers. Throws `LedgerUnreachable`. */
  get(): Promise<Session> {
    return this.#outage.repeat(() => this.open());
  }

  /** Like {@link get}, but waits for nothing. */
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
   * From now on no answer is waited for for long, also none that is waited for already: for a process that must end.
   */
  limitAnswers(): void {
    this.#line.isLimited = true;
    this.#pool.options.connectionTimeoutMillis = LAST_ANSWERS_MS.next;
    for (const session of this.#taken) session.limitAnswers();
  }

  /** Whether the last answer that was asked for since then has not come. */
  get isSilent(): boolean {
    return this.#line.isSilent;
  }

  async #begin(client: pg.PoolClient): Promise<Session> {
    let session: Session | undefined;
    // Before the first question: without a listener, a connection that breaks between two queries, or during one, would
    // end the process.
    client.on('error', () => {
      if (session !== undefined) session.isBroken = true;
    });
    // Windows, among others, cannot do it, and refuses. It fails like the next question if the line does.
    client.query(NOTICE_LOST_CLIENTS).catch(() => undefined);
    try {
      session = new Session(client, await checkServer(client, this.#place, this.#hasConnected), this.#line);
      this.#known.set(client, session);
      return session;
    } finally {
      if (session === undefined) client.release(true);
    }
  }

  /** Works with a session, which an error ends. Waits for nothing. */
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

  /** The error for an answer that only the former database can give, or a copy of it once a person has accepted it. */
  notTheSame(mayBeAccepted: boolean): LedgerAway {
    return new LedgerAway(
      describePlace(this.#place),
      'the connection was lost at a commit, and another database answers now, which does not know whether it was kept',
      mayBeAccepted ? FORMER_OR_ACCEPT : 'Connect to the former database, or end this process.',
      undefined,
      true,
    );
  }

  /** May be called again for one that was given back. */
  put(session: Session): void {
    if (!this.#taken.delete(session)) return;
    session.client.release(session.isBroken);
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

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
 * Refuses a server that could forget what it has confirmed; who `hasConnected` before waits until a person has mended
 * that. Returns which server it is, see {@link ORIGIN}.
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
  if (version < OLDEST_VERSION) {
    throw refuse(`the database server is PostgreSQL ${version}`, `Use PostgreSQL ${OLDEST_VERSION} or newer.`);
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
