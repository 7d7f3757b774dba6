/**
 * Work that runs in this process under a name, whoever asked for it. A lane that ends does not wait for a long download: it goes on here, and
 * whoever waits for the job next finds it instead of starting it again. Reconcile finds here a request that
 * Temporal gave up on while its answer is still on the way.
 */
export class RunningWork {
  readonly #running = new Map<string, Promise<unknown>>();

  /** Runs work under a name; the caller sees to it that none runs under it already. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const mine = work();
    this.#running.set(name, mine);
    try {
      return await mine;
    } finally {
      this.#running.delete(name);
    }
  }

  isRunning(name: string): boolean {
    return this.#running.has(name);
  }

  /** Resolves when the work of this name has ended, well or not; at once if there is none. */
  async settled(name: string): Promise<void> {
    await Promise.allSettled([this.#running.get(name)]);
  }

  /** Resolves when nothing runs any more; for an orderly end of the process. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running.values());
  }
}
