import { setTimeout as sleep } from 'node:timers/promises';
import { LedgerAway } from '../errors.ts';

/** Pauses between two tries: the first, and the longest, ms. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

/** What is known about a database that does not answer. */
export interface OutageNews {
  /** How long it has not answered, ms. */
  readonly forMs: number;
  /** The last error, as a sentence. */
  readonly problem: string;
}

/**
 * Waits for a database that is reached over the network and has gone away: its server restarts, or the line is cut.
 *
 * Whatever needs the database is repeated until it succeeds. Nothing is sent meanwhile, because an intent waits like
 * everything else, and the answers to requests in flight wait to be recorded. Waiting ends after `patienceMs`, or with
 * {@link stop} when the process must end; then the last error is thrown.
 */
export class Outage {
  readonly #patienceMs: number;
  readonly #ending = new AbortController();
  #begunAt: number | undefined;
  #problem = '';

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  /** The outage that lasts now; undefined if the database has answered since. */
  get news(): OutageNews | undefined {
    if (this.#begunAt === undefined) return undefined;
    return { forMs: performance.now() - this.#begunAt, problem: this.#problem };
  }

  /** Runs `work` again as long as it throws {@link LedgerAway}. It must leave nothing when it throws that. */
  async repeat<T>(work: () => Promise<T>): Promise<T> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        const answer = await work();
        this.#begunAt = undefined;
        return answer;
      } catch (error) {
        if (!(error instanceof LedgerAway) || !this.#mayWait(error)) throw error;
      }
      // The end of the process ends the pause.
      await sleep(pauseMs, undefined, { signal: this.#ending.signal }).catch(() => undefined);
    }
  }

  /** Ends all waiting, now and later. */
  stop(): void {
    this.#ending.abort();
  }

  #mayWait({ message, needsPerson }: LedgerAway): boolean {
    this.#begunAt ??= performance.now();
    this.#problem = message;
    if (this.#ending.signal.aborted) return false;
    // A command that only asks has nothing to wait for.
    if (this.#patienceMs !== Infinity && needsPerson) return false;
    return performance.now() - this.#begunAt < this.#patienceMs;
  }
}
