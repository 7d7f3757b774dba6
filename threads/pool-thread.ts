import { Worker } from 'node:worker_threads';
import { deadlineSeconds, JobClock } from './job-clock.ts';
import { Outbox } from './outbox.ts';
import { type PostedEnd, unpackError, type ThrownError } from './serve-jobs.ts';

/**
 * Limit of a thread's young generation. By default it grows to 48 MB before it is collected, which saves no CPU here,
 * because a finished job leaves only garbage (docs/decisions/cpu.md).
 */
const YOUNG_GENERATION = { maxYoungGenerationSizeMb: 12 };

/** A thread ended while it had work. Its jobs may or may not be done. */
export class ThreadDied extends Error {
  /**
   * False if the thread could not load its code, as when its files were replaced while this process runs: none of its
   * jobs were started or sent to it.
   */
  readonly hadLoaded: boolean;

  constructor(name: string, cause: unknown, hadLoaded: boolean) {
    const words = cause instanceof Error ? cause.message : String(cause);
    super(`The thread "${name}" ${hadLoaded ? 'died at its work' : 'could not begin'} (${words}).`, { cause });
    this.name = 'ThreadDied';
    this.hadLoaded = hadLoaded;
  }
}

/**
 * A job exceeded the time limit for its size. Cause of a {@link ThreadDied}, because only ending the thread stops such
 * a job.
 */
export class JobOverdue extends Error {
  /** Its time limit in seconds. */
  readonly seconds: number;

  constructor(seconds: number) {
    super(`a job was not done in ${seconds} s`);
    this.name = 'JobOverdue';
    this.seconds = seconds;
  }
}

/** How to start a thread, and how to restore its errors. */
export interface ThreadOptions {
  /** Shown in messages, and as the thread's name in debuggers. */
  readonly name: string;
  /** The module that the thread runs; it calls `serveJobs`. */
  readonly entry: URL;
  /** Handed to the thread as its `workerData`. */
  readonly data?: unknown;
  /** Restores the class of an error that a job threw. Default: a plain error with the same name and members. */
  readonly toError?: (thrown: ThrownError) => Error;
  /** The environment of the thread. Default: none, because it needs no secret. */
  readonly env?: NodeJS.ProcessEnv;
  /** Heap limit in MB; a thread that needs more dies. Default: Node's. */
  readonly maxMegabytes?: number;
  /** Length of a second of a deadline, in ms. Default 1,000; tests use shorter ones. */
  readonly secondMs?: number;
}

/** How to run a job in a thread. */
export interface JobOptions {
  /**
   * How long the job may wait for others to share its message, ms. Default 0: until the end of this turn of the event
   * loop.
   */
  readonly patienceMs?: number;
  /**
   * Bytes that it reads, which determine its deadline. Past it, the thread is terminated with all its jobs. By default
   * there is no deadline.
   */
  readonly bytes?: number;
}

/** The caller of a job. */
interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly bytes: number;
}

/** One thread of a `ThreadPool`. It keeps the process alive only while it has jobs. */
export class PoolThread {
  readonly #options: ThreadOptions;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #outbox: Outbox;
  readonly #clock: JobClock;
  #lastId = 0;
  #isLoaded = false;
  /** The overdue job for which the thread is being terminated. */
  #overdue: JobOverdue | undefined;

  /** @param onDeath called if the thread ends by itself or must be ended; run no more jobs in it then */
  constructor(options: ThreadOptions, onDeath: (thread: PoolThread) => void) {
    const { entry, name, data, env = {}, maxMegabytes, secondMs = 1_000 } = options;
    this.#options = options;
    const oldGeneration = maxMegabytes === undefined ? {} : { maxOldGenerationSizeMb: maxMegabytes };
    const resourceLimits = { ...YOUNG_GENERATION, ...oldGeneration };
    this.#worker = new Worker(entry, { name, workerData: data, env, execArgv: [], resourceLimits });
    this.#outbox = new Outbox({
      post: (jobs) => {
        this.#worker.postMessage(jobs);
      },
      fail: (id, error) => {
        this.#removeJob(id)?.reject(error);
      },
    });
    this.#clock = new JobClock(secondMs, (seconds) => {
      onDeath(this);
      this.#overdue = new JobOverdue(seconds);
      // Its jobs are rejected only after the thread has ended, so that it cannot interfere with their repetition.
      void this.#worker.terminate();
    });
    const onEnd = (cause: unknown): void => {
      onDeath(this);
      this.#clock.stop();
      this.#rejectAll(this.#overdue ?? cause);
    };
    this.#worker.on('message', (ends: readonly PostedEnd[]) => {
      if (!this.#isLoaded) this.#open();
      for (const end of ends) this.#settle(end);
    });
    // A message that cannot be deserialized does not say which job it belongs to, so all jobs fail.
    this.#worker.on('messageerror', (error) => {
      void this.#worker.terminate();
      onEnd(error);
    });
    this.#worker.on('error', onEnd);
    this.#worker.on('exit', (code) => {
      onEnd(new Error(`it ended with exit code ${code}`));
    });
    // Last, because adding a listener for messages makes the thread keep the process alive again.
    this.#worker.unref();
  }

  /** Number of jobs that have not ended. */
  get load(): number {
    return this.#waiting.size;
  }

  /** Runs a job. Rejects with the job's own error, or with {@link ThreadDied}. */
  run(job: unknown, { patienceMs = 0, bytes }: JobOptions): Promise<unknown> {
    const id = (this.#lastId += 1);
    // The time limit covers all jobs of the thread, because this one may have to wait for them.
    if (bytes !== undefined) this.#clock.add(id, deadlineSeconds(this.#totalBytes() + bytes));
    return new Promise((resolve, reject) => {
      if (this.#waiting.size === 0) this.#worker.ref();
      this.#waiting.set(id, { resolve, reject, bytes: bytes ?? 0 });
      this.#outbox.add({ id, job }, patienceMs);
    });
  }

  /** Terminates the thread. Running jobs are lost; wait for them first. */
  async stop(): Promise<void> {
    this.#clock.stop();
    await this.#worker.terminate();
  }

  /** Posts the gathered jobs. Called once the thread has loaded its code. */
  #open(): void {
    this.#isLoaded = true;
    this.#clock.open();
    this.#outbox.open();
  }

  /** Returns the bytes that all its jobs read. */
  #totalBytes(): number {
    let sum = 0;
    for (const { bytes } of this.#waiting.values()) sum += bytes;
    return sum;
  }

  /** Settles the promise of a job that has ended. */
  #settle(end: PostedEnd): void {
    const waiting = this.#removeJob(end.id);
    if ('error' in end) waiting?.reject((this.#options.toError ?? unpackError)(end.error));
    else waiting?.resolve(end.result);
  }

  /** Removes a finished job and returns its waiting caller. */
  #removeJob(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    this.#clock.remove(id);
    if (this.#waiting.size === 0) this.#worker.unref();
    return waiting;
  }

  #rejectAll(cause: unknown): void {
    this.#outbox.clear();
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(new ThreadDied(this.#options.name, cause, this.#isLoaded));
  }
}
