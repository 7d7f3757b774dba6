/**
 * Lets many callers sleep until their time, and wakes all of them early when something has changed. Costs one timer per
 * caller and no abort signal, because a lane may have thousands.
 */
export class WakeUps {
  readonly #wakers = new Set<() => void>();
  #isStopped = false;
  #count = 0;

  /** Number of wake-ups so far, so that a caller that was busy sees that it missed some. */
  get count(): number {
    return this.#count;
  }

  /** Resolves at that time of the monotonic clock, or at {@link WakeUps.wakeAll}. */
  sleepUntil(at: number): Promise<void> {
    return this.sleep(at - performance.now());
  }

  /**
   * Resolves after this many ms, or at {@link WakeUps.wakeAll}. At once after {@link WakeUps.stop}. `onSleep` gets what
   * wakes this sleeper alone.
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

  /** Resolves when the work has ended, with its result if it succeeded, or at {@link WakeUps.wakeAll}. */
  async sleepDuring<T>(work: Promise<T>): Promise<T | undefined> {
    if (this.#isStopped) return undefined;
    let wake: () => void = () => undefined;
    const rung = new Promise<undefined>((resolve) => {
      wake = () => {
        resolve(undefined);
      };
    });
    this.#wakers.add(wake);
    const result = await Promise.race([rung, work.catch(() => undefined)]);
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

  /** Wakes all sleepers; later calls do not sleep. */
  stop(): void {
    this.#isStopped = true;
    this.wakeAll();
  }
}
