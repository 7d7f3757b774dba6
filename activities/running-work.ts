/**
 * Work that runs in this process under a name, whoever asked for it. A lane that ends does not wait for a long download: it goes on here, and
 * whoever waits for the job next finds it instead of starting it again. Reconcile finds here a request that
 * Temporal gave up on while its answer is still on the way.
 */
export class RunningWork<T = unknown> {
  readonly #running = new Map<string, Promise<T>>();

  /** Knows work by a name until it ends, and returns its result; the caller sees to it that none runs under it already. */
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

  /** Resolves when the work of this name has ended, with its result if that went well; at once if there is none. */
  async settled(name: string): Promise<T | undefined> {
    const [end] = await Promise.allSettled([this.#running.get(name)]);
    return end.status === 'fulfilled' ? end.value : undefined;
  }

  /** Resolves when nothing runs any more; for an orderly end of the process. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running.values());
  }
}
