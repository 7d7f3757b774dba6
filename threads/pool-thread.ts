import { Worker, type Transferable } from 'node:worker_threads';
import { Outbox } from './outbox.ts';
import type { PostedEnd } from './serve-jobs.ts';
import { unpackError, type ThrownError } from './thrown-error.ts';

/** A thread ended while it had work. Its jobs may or may not be done. */
export class ThreadDied extends Error {
  /**
   * False if the thread could not load its code (files replaced under this process, say): its jobs were neither begun
   * nor handed over.
   */
  readonly hadBegun: boolean;

  constructor(name: string, cause: unknown, hadBegun: boolean) {
    const words = cause instanceof Error ? cause.message : String(cause);
    super(`The thread "${name}" ${hadBegun ? 'died at its work' : 'could not begin'} (${words}).`, { cause });
    this.name = 'ThreadDied';
    this.hadBegun = hadBegun;
  }
}

/** How to start a thread, and how to restore its errors. */
export interface ThreadOptions {
  /** Shown to people, and as the thread's name in debuggers. */
  readonly name: string;
  /** The module that the thread runs; it calls `serveJobs`. */
  readonly entry: URL;
  /** Handed to the thread as its `workerData`. */
  readonly data?: unknown;
  /** Restores the class of an error that a job threw. Default: a plain error with the same name and members. */
  readonly toError?: (thrown: ThrownError) => Error;
}

/** How to hand a job to a thread. */
export interface HandOver {
  /** Objects to transfer instead of copying; they can no longer be used here. Default: none. */
  readonly transfer?: readonly Transferable[];
  /**
   * How long the job may wait for others to share its message, ms. Default 0: until the end of this turn of the event
   * loop.
   */
  readonly patienceMs?: number;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * One thread of a `ThreadPool`. It keeps the process alive only while it has work. It gets no environment, because it
 * needs no secret.
 */
export class PoolThread {
  readonly #options: ThreadOptions;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #outbox: Outbox;
  #lastId = 0;
  #hasBegun = false;

  /** @param onDeath called once if the thread ends by itself; give it no more work then */
  constructor(options: ThreadOptions, onDeath: (thread: PoolThread) => void) {
    const { entry, name, data } = options;
    this.#options = options;
    this.#worker = new Worker(entry, { name, workerData: data, env: {}, execArgv: [] });
    this.#worker.unref();
    this.#outbox = new Outbox({
      post: (jobs, transfer) => {
        this.#worker.postMessage(jobs, transfer);
      },
      fail: (id, error) => {
        this.#take(id)?.reject(error);
      },
    });
    const died = (cause: unknown): void => {
      onDeath(this);
      this.#rejectAll(cause);
    };
    this.#worker.on('message', (ends: readonly PostedEnd[]) => {
      // Its code is loaded, so post what has gathered.
      if (!this.#hasBegun) this.#outbox.open();
      this.#hasBegun = true;
      for (const end of ends) this.#end(end);
    });
    // A message that cannot be read does not say whose job it was.
    this.#worker.on('messageerror', (error) => {
      void this.#worker.terminate();
      died(error);
    });
    this.#worker.on('error', died);
    this.#worker.on('exit', (code) => {
      died(new Error(`it ended with exit code ${code}`));
    });
  }

  /** Number of its jobs. */
  get load(): number {
    return this.#waiting.size;
  }

  run(job: unknown, { transfer = [], patienceMs = 0 }: HandOver): Promise<unknown> {
    const id = (this.#lastId += 1);
    return new Promise((resolve, reject) => {
      if (this.#waiting.size === 0) this.#worker.ref();
      this.#waiting.set(id, { resolve, reject });
      this.#outbox.add({ id, job }, transfer, patienceMs);
    });
  }

  /** Terminates the thread. Running jobs are lost; wait for them first. */
  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #end(end: PostedEnd): void {
    const waiting = this.#take(end.id);
    if ('error' in end) waiting?.reject((this.#options.toError ?? unpackError)(end.error));
    else waiting?.resolve(end.result);
  }

  /** Removes a finished job and returns its waiting caller. */
  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#worker.unref();
    return waiting;
  }

  #rejectAll(cause: unknown): void {
    this.#outbox.clear();
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(new ThreadDied(this.#options.name, cause, this.#hasBegun));
  }
}
