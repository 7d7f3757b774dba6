import type pg from 'pg';
import { NO_RIGHT, RightTaken, wasAllowed } from './taken-rights.ts';

/* A session at the database server: how it sends statements, and the texts with which transactions begin. */

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

/** Max prepared statements of a session. Lists of varying length keep making new ones; later ones run unprepared. */
const MAX_STATEMENTS = 300;
/** Max time for an answer in a process that must end, ms: for the `first` that does not come, and for each after it. */
export const LAST_ANSWERS_MS = { first: 10_000, next: 2_000 };

/** What the sessions of a process share. */
export interface SessionState {
  /** Texts of statements that have succeeded, and so were allowed; up to {@link MAX_STATEMENTS}. */
  readonly done: Set<string>;
  /** The process must end, so answers may take only {@link LAST_ANSWERS_MS}. */
  isLimited: boolean;
  /** The last answer has not come in that time. */
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
  /** Identity of its server, which a copy does not share; see `origin.ts`. */
  readonly origin: string;
  /** Names of the prepared statements, by text. */
  readonly #names = new Map<string, string>();
  readonly #state: SessionState;
  readonly #waiting = new Set<Waiting>();
  /** True once the connection must not be used again. */
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
