import { setTimeout as sleep } from 'node:timers/promises';

/** First pause before another try, ms; doubled each time, up to the longest. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 3_000;

/** How long a command waits for a place that does not answer, ms. */
const DEFAULT_LIMIT_MS = 20_000;

/** How long operations wait for a place on another machine that does not answer, and whether it answers now. */
export class Patience {
  #limitMs = DEFAULT_LIMIT_MS;
  #trouble: string | undefined;
  readonly #waiting = new Set<() => void>();

  /** Changes how long each operation waits from its first failure on, ms: also those that wait now. */
  limit(ms: number): void {
    this.#limitMs = ms;
  }

  /** Why the place does not answer; undefined if it did when it was last asked. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** The place has answered. */
  answered(): void {
    this.#trouble = undefined;
    for (const goOn of this.#waiting) goOn();
    this.#waiting.clear();
  }

  /** Resolves once the place answers, at once if it did when it was last asked, or when the signal aborts. */
  async whenAnswered(signal: AbortSignal): Promise<void> {
    if (this.#trouble === undefined || signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.#waiting.add(resolve);
      signal.addEventListener('abort', () => {
        this.#waiting.delete(resolve);
        resolve();
      });
    });
  }

  /** Waits before another try. False: this operation has waited long enough. `tries`: those that failed. */
  async pause(tries: number, firstFailedAt: number, trouble: string): Promise<boolean> {
    // A connection that was closed while idle fails once, and means nothing.
    if (tries > 1) this.#trouble = trouble;
    const left = this.#limitMs - (performance.now() - firstFailedAt);
    if (left <= 0) return false;
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 1)) * (0.5 + Math.random() / 2);
    await sleep(Math.min(pause, left));
    return true;
  }
}
