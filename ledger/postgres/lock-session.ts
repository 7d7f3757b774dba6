import pg from 'pg';
import { connectionTo } from './connection-settings.ts';
import { explain, explainConnecting } from './errors.ts';
import { usePasswordFile } from './password-file.ts';

/** How often a connection that holds a lock is probed, so that a silently lost one is noticed. */
export interface Probing {
  /** Time between two probes, ms. */
  readonly everyMs: number;
  /** How long an answer may take before the connection counts as lost, ms. */
  readonly answerMs: number;
}

/**
 * Together shorter than the time after which a server releases the locks of a lost client (`connection-settings.ts`).
 */
export const PROBING: Probing = { everyMs: 10_000, answerMs: 15_000 };
/** Max time to connect, ms. */
const CONNECT_MS = 10_000;

/** A connection that holds advisory locks until it is closed. */
export class LockSession {
  readonly #client: pg.Client;
  readonly #place: string;
  readonly #onLost: (() => void) | undefined;
  #probe: NodeJS.Timeout | undefined;
  #isOver = false;

  private constructor(client: pg.Client, place: string, onLost?: () => void) {
    this.#client = client;
    this.#place = place;
    this.#onLost = onLost;
  }

  /**
   * Connects. `onLost`: called once if the connection ends, or stops answering, before it is closed here; without it,
   * the connection is not probed. `hasConnected`: whether this process has connected before. Throws
   * `LedgerUnreachable`.
   */
  static async open(
    place: string,
    { everyMs, answerMs }: Probing,
    hasConnected: boolean,
    onLost?: () => void,
  ): Promise<LockSession> {
    const { config } = connectionTo(place);
    const client = new pg.Client({
      ...config,
      keepAlive: true,
      keepAliveInitialDelayMillis: everyMs,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: answerMs,
    });
    usePasswordFile(client);
    // Without a listener, an error would end the process; `end` follows it.
    client.on('error', () => undefined);
    try {
      await client.connect();
    } catch (error) {
      void client.end().catch(() => undefined);
      throw explainConnecting(place, error, hasConnected);
    }
    const session = new LockSession(client, place, onLost);
    client.once('end', session.#lose);
    if (onLost !== undefined) session.#probeAfter(everyMs);
    return session;
  }

  #probeAfter(everyMs: number): void {
    if (this.#isOver) return;
    this.#probe = setTimeout(() => {
      this.backend().then(() => {
        this.#probeAfter(everyMs);
      }, this.#lose);
    }, everyMs).unref();
  }

  /** Closes a connection that does not answer, so that a server that still has it releases its locks. */
  readonly #lose = (): void => {
    if (this.#isOver) return;
    this.close();
    this.#onLost?.();
  };

  /** Id of the server's process for this session. */
  async backend(): Promise<number | undefined> {
    const [line] = await this.#query<{ pid: number }>('select pg_backend_pid() as pid', []);
    return line?.pid;
  }

  /**
   * Calls an advisory lock function (`what`) for a lock, and returns its answer. Locks are per database; the schema in
   * the key makes them per ledger.
   */
  async ask(what: string, lock: string): Promise<boolean> {
    const [line] = await this.#query<{ answer: unknown }>(
      `select ${what}(hashtext(current_schema()), hashtext($1)) as answer`,
      [lock],
    );
    return line?.answer === true;
  }

  /** Whether another session has the lock. Takes no lock itself, so two such checks do not see each other. */
  async isHeld(lock: string): Promise<boolean> {
    // `pg_locks` shows the two keys, which are signed integers of 32 bits, as unsigned ones.
    const found = await this.#query(
      `select 1 from pg_locks where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())
       and classid::bigint = hashtext(current_schema())::bigint & 4294967295 and objid::bigint = hashtext($1)::bigint & 4294967295 limit 1`,
      [lock],
    );
    return found.length > 0;
  }

  /** Records the address of the Temporal server whose workers hold the lock. */
  async note(server: string): Promise<void> {
    await this.#query(
      `insert into facts (name, value) values ('server', $1) on conflict (name) do update set value = excluded.value`,
      [server],
    );
  }

  /** Reads that address; undefined if none was ever recorded. */
  async noted(): Promise<string | undefined> {
    const [line] = await this.#query<{ value: string }>(`select value from facts where name = 'server'`, []);
    return line?.value;
  }

  async #query<R extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<readonly R[]> {
    try {
      return (await this.#client.query<R>(text, [...values])).rows;
    } catch (error) {
      throw explain(this.#place, error);
    }
  }

  /** Closes the connection, which releases its locks. */
  readonly close = (): void => {
    this.#isOver = true;
    clearTimeout(this.#probe);
    // The server releases the locks even if this message does not arrive.
    void this.#client.end().catch(() => undefined);
  };
}
