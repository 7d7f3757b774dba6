/**
 * Tracks named work of this process that outlives its caller. An ending lane does not wait for a long download: the
 * download continues, and the job's next waiter finds it here instead of starting it again. Reconcile finds here a
 * request whose activity Temporal has given up, but whose answer may still arrive.
 */
export class RunningWork<T = unknown> {
  readonly #running = new Map<string, Promise<T>>();

  /**
   * Registers work by a name until it ends, and returns its result. The caller ensures that no work of that name
   * runs.
   */
  async track<R extends T>(name: string, work: Promise<R>): Promise<R> {
    this.#running.set(name, work);
    try {
      return await work;
    } finally {
      this.#running.delete(name);
    }
  }

  /** Returns whether work of this name runs. */
  isRunning(name: string): boolean {
    return this.#running.has(name);
  }

  /**
   * Resolves when the work of this name has ended: with its result, or undefined if it failed. Resolves at once if
   * there is none.
   */
  async settled(name: string): Promise<T | undefined> {
    const [end] = await Promise.allSettled([this.#running.get(name)]);
    return end.status === 'fulfilled' ? end.value : undefined;
  }

  /** Resolves when no work runs. Used at shutdown. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running.values());
  }
}
