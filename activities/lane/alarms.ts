/**
 * Lets many wait for their moment, and wakes all of them early when there is news. A timer a waiter, without a signal each: a lane may have
 * thousands.
 */
export class Alarms {
  readonly #wakers = new Set<() => void>();
  #isOff = false;
  #rings = 0;

  /** How often there was news so far: who was busy meanwhile sees here that it missed some. */
  get rings(): number {
    return this.#rings;
  }

  /** Resolves at that moment of the monotonic clock, or at {@link Alarms.ring}. */
  sleepUntil(at: number): Promise<void> {
    return this.sleep(at - performance.now());
  }

  /** Resolves after so many ms, or at {@link Alarms.ring}. At once after {@link Alarms.off}. */
  sleep(ms: number): Promise<void> {
    if (this.#isOff || ms <= 0) return Promise.resolve();
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

  /** Resolves when the work has ended, with its result if that went well, or at {@link Alarms.ring}. */
  async sleepDuring<T>(work: Promise<T>): Promise<T | undefined> {
    if (this.#isOff) return undefined;
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
  ring(): void {
    this.#rings += 1;
    for (const wake of [...this.#wakers]) {
      this.#wakers.delete(wake);
      wake();
    }
  }

  /** Wakes everybody, and whoever comes later does not sleep. */
  off(): void {
    this.#isOff = true;
    this.ring();
  }
}
