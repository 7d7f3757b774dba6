/**
 * Named work in this process, independent of its initiator. An ending lane does not wait for a long download: the
 * download continues here, and the job's next waiter finds it instead of starting it again. Reconcile finds a request
 * here that Temporal gave up on while its answer is still under way.
 */
export class RunningWork<T = unknown> {
  readonly #running = new Map<string, Promise<T>>();

  /**
   * Registers work by a name until it ends, and returns its result. The caller ensures that no work runs under that
   * name already.
   */
  async track<R extends T>(name: string, work: Promise<R>): Promise<R> {
    this.#running.set(name, work);
    try {
      return await work;
    } finally {
      this.#running.delete(name);
    }
  }

  isRunning(name: string): boolean {
    return this.#running.has(name);
  }

  /** Resolves when the work of this name has ended, with its result if it succeeded; at once if there is none. */
  async settled(name: string): Promise<T | undefined> {
    const [end] = await Promise.allSettled([this.#running.get(name)]);
    return end.status === 'fulfilled' ? end.value : undefined;
  }

  /** Resolves when nothing runs any more; for an orderly shutdown. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running.values());
  }
}
