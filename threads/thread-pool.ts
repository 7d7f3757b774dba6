import { PoolThread, type JobOptions, type ThreadOptions, JobOverdue, ThreadDied } from './pool-thread.ts';

/** Options of a pool of threads. */
export interface PoolOptions extends ThreadOptions {
  /** Maximum number of threads. */
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
  async run(job: Job, options: JobOptions = {}): Promise<Result> {
    if (this.#isClosed) throw new Error(`Expected open threads "${this.#options.name}", but they were closed.`);
    const running = this.#choose().run(job, options);
    this.#running.add(running);
    try {
      return (await running) as Result;
    } finally {
      this.#running.delete(running);
    }
  }

  /** True once {@link ThreadPool.close} was called. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Starts a thread before there is work for it: loading its code takes a while. */
  warmUp(): void {
    this.#choose();
  }

  /** Accepts no more jobs, waits for running ones and ends the threads. May be called again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#running);
    await Promise.all([...this.#threads].map((thread) => thread.stop()));
  }

  /** Returns the least busy thread; a new one if all are busy and there is room for more. */
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

/** Fallbacks for a job that no thread completes. */
export interface Fallbacks<Result> {
  /** Runs the job in the calling thread. */
  readonly runHere: () => Promise<Result>;
  /**
   * Returns the result of a job that killed its thread. `why` continues a sentence that begins with the name of the
   * file, such as `could not be read in 30 s`.
   */
  readonly unread: (why: string) => Result | Promise<Result>;
}

/**
 * Threads for jobs that read untrusted input, such as media, which may hang its reader or exhaust memory. Each job has
 * a deadline. If a thread is terminated or dies, all its jobs are repeated one at a time in a separate thread; a job
 * that kills that thread as well is the culprit. So jobs must be safe to repeat.
 *
 * Without an entry, because the code runs from its TypeScript source, and if threads cannot load their code, the
 * calling thread does the work.
 */
export class DeadlinePool<Job> {
  readonly #name: string;
  readonly #maxMegabytes: number;
  readonly #shared: ThreadPool<Job, unknown> | undefined;
  readonly #isolated: ThreadPool<Job, unknown> | undefined;
  readonly #running = new Set<Promise<unknown>>();
  /** The last retry in the isolated thread. Retries run one at a time, so that the one that kills it is known. */
  #lastRetry: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor({
    entry,
    ...others
  }: Omit<PoolOptions, 'entry'> & { readonly entry: URL | undefined; readonly maxMegabytes: number }) {
    this.#name = others.name;
    this.#maxMegabytes = others.maxMegabytes;
    if (entry === undefined) return;
    this.#shared = new ThreadPool({ ...others, entry });
    this.#isolated = new ThreadPool({ ...others, entry, name: `${others.name}, alone`, size: 1 });
  }

  /** Runs a job that reads this many bytes. Rejects with the job's own error. */
  async run<Result>(job: Job, bytes: number, fallbacks: Fallbacks<Result>): Promise<Result> {
    if (this.#isClosed) throw new Error(`Expected open threads "${this.#name}", but they were closed.`);
    const running = this.#run(job, bytes, fallbacks);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Accepts no more jobs, waits for running ones and ends the threads. May be called again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#running);
    await Promise.all([this.#shared?.close(), this.#isolated?.close()]);
  }

  async #run<Result>(job: Job, bytes: number, { runHere, unread }: Fallbacks<Result>): Promise<Result> {
    const [shared, isolated] = [this.#shared, this.#isolated];
    if (shared === undefined || isolated === undefined) return runHere();
    try {
      return (await shared.run(job, { bytes })) as Result;
    } catch (error) {
      if (!(error instanceof ThreadDied)) throw error;
      if (!error.hadLoaded) return runHere();
    }
    const retry = this.#lastRetry.then(() => isolated.run(job, { bytes }));
    this.#lastRetry = retry.catch(() => undefined);
    try {
      return (await retry) as Result;
    } catch (error) {
      if (!(error instanceof ThreadDied)) throw error;
      return error.hadLoaded ? unread(this.#whyUnread(error.cause)) : runHere();
    }
  }

  #whyUnread(cause: unknown): string {
    if (cause instanceof JobOverdue) return `could not be read in ${cause.seconds} s`;
    const isMemory = (cause as NodeJS.ErrnoException | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
    return isMemory
      ? `could not be read in ${this.#maxMegabytes} MB of memory`
      : 'could not be read, for it ended the thread';
  }
}
