/**
 * Lets the rows of a lane sleep, and wakes all of them early when the ledger may have news. A sleeper costs one timer
 * and no abort listener, because a lane may have thousands.
 */
export class WakeUps {
  /** Wakes one sleeper each. */
  readonly #wakers = new Set<() => void>();
  #isStopped = false;
  #count = 0;

  /**
   * Number of calls of {@link WakeUps.wakeAll} so far: a caller that was busy compares it to see whether it missed one.
   */
  get count(): number {
    return this.#count;
  }

  /**
   * Resolves after `ms`, or earlier at {@link WakeUps.wakeAll}; at once after {@link WakeUps.stop}. `onSleep` receives
   * a function that wakes this sleeper alone.
   */
  sleep(ms: number, onSleep?: (wake: () => void) => void): Promise<void> {
    if (this.#isStopped || ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#wakers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#wakers.add(wake);
      onSleep?.(wake);
    });
  }

  /**
   * Resolves when the work has ended, with its result, or undefined if it failed. Resolves earlier with undefined at
   * {@link WakeUps.wakeAll}, and at once after {@link WakeUps.stop}.
   */
  async sleepDuring<T>(work: Promise<T>): Promise<T | undefined> {
    if (this.#isStopped) return undefined;
    let wake: () => void = () => undefined;
    const woken = new Promise<undefined>((resolve) => {
      wake = () => {
        resolve(undefined);
      };
    });
    this.#wakers.add(wake);
    const result = await Promise.race([woken, work.catch(() => undefined)]);
    this.#wakers.delete(wake);
    return result;
  }

  /** Wakes all sleepers. */
  wakeAll(): void {
    this.#count += 1;
    for (const wake of [...this.#wakers]) {
      this.#wakers.delete(wake);
      wake();
    }
  }

  /** Wakes all sleepers. Later calls do not sleep. */
  stop(): void {
    this.#isStopped = true;
    this.wakeAll();
  }
}
