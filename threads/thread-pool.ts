import { PoolThread, type HandOver, type ThreadOptions } from './pool-thread.ts';

export interface PoolOptions extends ThreadOptions {
  /** Threads at most. */
  readonly size: number;
}

/**
 * A few threads that do jobs of one sort. A thread is started when there is work that no idle one could take, and a job goes to the one
 * that has the least. One that dies rejects its jobs with {@link ThreadDied} and is replaced with the next job. The threads keep
 * no process from ending, and none outlives it.
 */
export class ThreadPool<Job, Result> {
  readonly #options: PoolOptions;
  readonly #threads = new Set<PoolThread>();
  readonly #running = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Does a job in a thread. Rejects with the job's own error, as `toError` made it, or with {@link ThreadDied}. */
  async run(job: Job, handOver: HandOver = {}): Promise<Result> {
    if (this.#isClosed) throw new Error(`Expected open threads "${this.#options.name}", but they were closed.`);
    const running = this.#choose().run(job, handOver);
    this.#running.add(running);
    try {
      return (await running) as Result;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Takes no more jobs, waits for those under way and ends the threads. Repeatable. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#running);
    await Promise.all([...this.#threads].map((thread) => thread.stop()));
  }

  #choose(): PoolThread {
    const least = [...this.#threads].reduce<PoolThread | undefined>(
      (best, thread) => (best === undefined || thread.load < best.load ? thread : best),
      undefined,
    );
    if (least !== undefined && (least.load === 0 || this.#threads.size >= this.#options.size)) return least;
    const thread = new PoolThread(this.#options, (dead) => this.#threads.delete(dead));
    this.#threads.add(thread);
    return thread;
  }
}
