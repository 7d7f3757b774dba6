import pg from 'pg';
import { FORMER_OR_ACCEPT, LedgerAway } from '../errors.ts';
import type { Outage } from '../../store/outage.ts';
import { checkServer } from './check-server.ts';
import { connectionTo } from './connection-settings.ts';
import { describePlace } from './describe-place.ts';
import { explain, explainConnecting } from './errors.ts';
import { usePasswordFile } from './password-file.ts';
import { LAST_ANSWERS_MS, Session, type SessionState } from './session.ts';

/** Max sessions of a process: one writes, the others read. */
const MAX_SESSIONS = 4;
/** Max time to connect, ms. */
const CONNECT_MS = 10_000;
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
