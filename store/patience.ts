import { setTimeout as sleep } from 'node:timers/promises';

/** First pause before another try, ms; doubled each time, up to the longest. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 3_000;

/** How long a command waits for a place that does not answer, ms. */
const DEFAULT_LIMIT_MS = 20_000;

/** Why something did not go through that may go through later. */
export class Passing extends Error {
  override readonly name = 'Passing';
  /** What to throw if it never does. */
  readonly lastly: Error;

  constructor(trouble: string, lastly: Error) {
    super(trouble);
    this.lastly = lastly;
  }
}

/** What an operation has met that waits, and since when, on the monotonic clock, ms. */
interface Trouble {
  since: number;
  message: string;
}

/** How long operations wait for a place on another machine that does not answer, and whether it answers now. */
export class Patience {
  #limitMs = DEFAULT_LIMIT_MS;
  /** What each operation has met that waits since the place answered last, the oldest first. */
  readonly #troubles = new Set<Trouble>();
  readonly #waiting = new Set<() => void>();

  /** Changes how long each operation waits from its first failure on, ms: also those that wait now. */
  limit(ms: number): void {
    this.#limitMs = ms;
  }

  /** Why the place does not answer; undefined if it did when it was last asked, and while nobody asks. */
  get trouble(): string | undefined {
    const [oldest] = this.#troubles;
    return oldest?.message;
  }

  /** The same, and for how long it has not answered, ms. */
  get news(): { readonly forMs: number; readonly problem: string } | undefined {
    const [oldest] = this.#troubles;
    return oldest === undefined ? undefined : { forMs: performance.now() - oldest.since, problem: oldest.message };
  }

  /** Resolves once the place answers, or nobody asks it any more; at once if nobody waits, or when the signal aborts. */
  async whenAnswered(signal: AbortSignal): Promise<void> {
    if (this.trouble === undefined || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const goOn = (): void => {
        this.#waiting.delete(goOn);
        signal.removeEventListener('abort', goOn);
        resolve();
      };
      this.#waiting.add(goOn);
      signal.addEventListener('abort', goOn);
    });
  }

  /** Runs `work` again as long as it throws {@link Passing} and may wait; throws that one's last error then. */
  async repeat<T>(work: () => Promise<T>): Promise<T> {
    const mine: Trouble = { since: NaN, message: '' };
    try {
      for (let tries = 1; ; tries++) {
        try {
          const done = await work();
          this.#troubles.clear();
          return done;
        } catch (error) {
          if (!(error instanceof Passing)) throw error;
          mine.message = error.message;
          if (tries === 1) mine.since = performance.now();
          // A connection that was closed while idle fails once, and means nothing.
          if (tries > 1) this.#troubles.add(mine);
          const left = this.#limitMs - (performance.now() - mine.since);
          if (left <= 0) throw error.lastly;
          const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 1)) * (0.5 + Math.random() / 2);
          await sleep(Math.min(pause, left));
        }
      }
    } finally {
      this.#end(mine);
    }
  }

  /** Whoever asks no longer would never hear that the place answers, and others would wait for that. */
  #end(mine: Trouble): void {
    this.#troubles.delete(mine);
    if (this.#troubles.size > 0) return;
    for (const goOn of this.#waiting) goOn();
  }
}
