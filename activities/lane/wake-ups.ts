/**
 * Lets many wait for their moment, and wakes all of them early when something has changed. A timer a waiter, without a signal each: a lane may have
 * thousands.
 */
export class WakeUps {
  readonly #wakers = new Set<() => void>();
  #isStopped = false;
  #count = 0;

  /** How many wake-ups there were so far: who was busy meanwhile sees here that it missed some. */
  get count(): number {
    return this.#count;
  }

  /** Resolves at that moment of the monotonic clock, or at {@link WakeUps.wakeAll}. */
  sleepUntil(at: number): Promise<void> {
    return this.sleep(at - performance.now());
  }

  /** Resolves after so many ms, or at {@link WakeUps.wakeAll}. At once after {@link WakeUps.stop}. */
  sleep(ms: number): Promise<void> {
    if (this.#isStopped || ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#wakers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#wakers.add(wake);
    });
  }

  /** Resolves when the work has ended, with its result if that went well, or at {@link WakeUps.wakeAll}. */
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

  /** Wakes everybody who sleeps now. */
  wakeAll(): void {
    this.#count += 1;
    for (const wake of [...this.#wakers]) {
      this.#wakers.delete(wake);
      wake();
    }
  }

  /** Wakes everybody, and whoever comes later does not sleep. */
  stop(): void {
    this.#isStopped = true;
    this.wakeAll();
  }
}
