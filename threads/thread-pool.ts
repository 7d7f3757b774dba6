import { PoolThread, type HandOver, type ThreadOptions } from './pool-thread.ts';

export interface PoolOptions extends ThreadOptions {
  /** Max threads. */
  readonly size: number;
}

/**
 * A few threads for jobs of one kind. A job goes to the least busy thread; a new thread starts if there is work and
 * none is idle. A thread that dies rejects its jobs with {@link ThreadDied}, and the next job starts a replacement. The
 * threads neither keep the process alive nor outlive it.
 */
export class ThreadPool<Job, Result> {
  readonly #options: PoolOptions;
  readonly #threads = new Set<PoolThread>();
  readonly #running = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Runs a job in a thread. Rejects with the job's own error, restored by `toError`, or with {@link ThreadDied}. */
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

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Starts a thread before there is work for it: loading its code takes a while. */
  begin(): void {
    this.#choose();
  }

  /** Accepts no more jobs, waits for running ones and ends the threads. May be called again. */
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
