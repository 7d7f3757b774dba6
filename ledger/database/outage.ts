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

interface Waiting {
  readonly begunAt: number;
  problem: string;
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
  /** What waits now, the oldest first. */
  readonly #waiting = new Set<Waiting>();
  /** The last one that is over, in monotonic ms. */
  #over: { readonly from: number; readonly to: number } = { from: -Infinity, to: -Infinity };

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  /** How long the oldest of those that wait has waited; undefined if nobody does. */
  get news(): OutageNews | undefined {
    const [oldest] = this.#waiting;
    return oldest === undefined ? undefined : { forMs: performance.now() - oldest.begunAt, problem: oldest.problem };
  }

  /**
   * For how long nothing could be recorded, if that is so or was within the last `ms`: what others record regularly is
   * then older by that than it looks.
   */
  lostOf(ms: number): number {
    const now = performance.now();
    const [oldest] = this.#waiting;
    if (oldest !== undefined) return now - oldest.begunAt;
    return now - this.#over.to < ms ? this.#over.to - this.#over.from : 0;
  }

  /** Runs `work` again as long as it throws {@link LedgerAway}. It must leave nothing when it throws that. */
  async repeat<T>(work: () => Promise<T>): Promise<T> {
    let mine: Waiting | undefined;
    try {
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
        try {
          const done = await work();
          if (mine !== undefined) this.#noteOver(mine.begunAt);
          return done;
        } catch (error) {
          if (!(error instanceof LedgerAway)) throw error;
          mine ??= { begunAt: performance.now(), problem: '' };
          mine.problem = error.message;
          if (!this.#mayWait(error, mine)) throw error;
          this.#waiting.add(mine);
        }
        // The end of the process ends the pause.
        await sleep(pauseMs, undefined, { signal: this.#ending.signal }).catch(() => undefined);
      }
    } finally {
      if (mine !== undefined) this.#waiting.delete(mine);
    }
  }

  /** Ends all waiting, now and later. */
  stop(): void {
    this.#ending.abort();
  }

  #noteOver(begunAt: number): void {
    const { from, to } = this.#over;
    this.#over = { from: begunAt < to ? Math.min(from, begunAt) : begunAt, to: performance.now() };
  }

  #mayWait({ needsPerson }: LedgerAway, { begunAt }: Waiting): boolean {
    if (this.#ending.signal.aborted) return false;
    // A command that only asks has nothing to wait for.
    if (this.#patienceMs !== Infinity && needsPerson) return false;
    return performance.now() - begunAt < this.#patienceMs;
  }
}
