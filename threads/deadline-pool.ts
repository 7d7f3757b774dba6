import { JobOverdue, ThreadDied, type JobSize } from './pool-thread.ts';
import { ThreadPool, type PoolOptions } from './thread-pool.ts';

/**
 * Threads for jobs that read what others made, such as media, which may hang whoever reads it or take all memory. Each
 * job has a deadline. If its thread is ended or dies, all its jobs are done again, one at a time in a thread of its own:
 * the one that ends this thread, too, is at fault, and no other. So a job must be such that it may be done twice.
 */
export class DeadlinePool<Job, Result> {
  readonly #many: ThreadPool<Job, Result>;
  readonly #alone: ThreadPool<Job, Result>;
  readonly #running = new Set<Promise<Result>>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: PoolOptions) {
    this.#many = new ThreadPool(options);
    this.#alone = new ThreadPool({ ...options, name: `${options.name}, alone`, size: 1 });
  }

  /**
   * Runs a job. Rejects with the job's own error; with {@link ThreadDied} if the job ended its thread when it was alone
   * in it, or if threads cannot load their code (`hadBegun` is false then).
   */
  async run(job: Job, size: JobSize): Promise<Result> {
    const running = this.#run(job, size);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Accepts no more jobs, waits for running ones and ends the threads. */
  async close(): Promise<void> {
    const closing = this.#many.close();
    await Promise.allSettled(this.#running);
    await Promise.all([closing, this.#alone.close()]);
  }

  async #run(job: Job, size: JobSize): Promise<Result> {
    try {
      return await this.#many.run(job, { size });
    } catch (error) {
      if (!(error instanceof ThreadDied) || !error.hadBegun) throw error;
    }
    const alone = this.#last.then(() => this.#alone.run(job, { size }));
    this.#last = alone.catch(() => undefined);
    return alone;
  }
}

/** Why a job did not come to its end that read something, in words that follow its name: `could not be read in 30 s`. */
export function whyUnread({ cause }: ThreadDied, mostMegabytes: number): string {
  if (cause instanceof JobOverdue) return `could not be read in ${cause.seconds} s`;
  const isMemory = (cause as NodeJS.ErrnoException | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return isMemory ? `could not be read in ${mostMegabytes} MB of memory` : 'could not be read, for it ended the thread';
}
