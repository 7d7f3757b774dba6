import { Worker, type Transferable } from 'node:worker_threads';
import { Outbox } from './outbox.ts';
import type { PostedEnd } from './serve-jobs.ts';
import { unpackError, type ThrownError } from './thrown-error.ts';

/** A thread ended while it had work. What it was at may be done or not. */
export class ThreadDied extends Error {
  /** False if it could not even load its code (files that were replaced while this process ran, say): its jobs were not begun, nor handed over. */
  readonly hadBegun: boolean;

  constructor(name: string, cause: unknown, hadBegun: boolean) {
    const words = cause instanceof Error ? cause.message : String(cause);
    super(`The thread "${name}" ${hadBegun ? 'died at its work' : 'could not begin'} (${words}).`, { cause });
    this.name = 'ThreadDied';
    this.hadBegun = hadBegun;
  }
}

/** How a thread is started, and what its errors are here. */
export interface ThreadOptions {
  /** For people, and for the names of threads in debuggers. */
  readonly name: string;
  /** The module that the thread starts with; it calls `serveJobs`. */
  readonly entry: URL;
  /** Handed to the thread as its `workerData`. */
  readonly data?: unknown;
  /** Gives an error that a job threw there its class again. Default: a plain error with that name and those members. */
  readonly toError?: (thrown: ThrownError) => Error;
}

/** How one job is handed to a thread. */
export interface HandOver {
  /** What of the job is handed over rather than copied; it can no longer be used here. Default: nothing. */
  readonly transfer?: readonly Transferable[];
  /** How long it may wait to be posted together with others, ms. Default 0: until the end of this turn of the event loop. */
  readonly patienceMs?: number;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** One thread of a `ThreadPool`. It keeps the process alive only while it has work, and is given no environment: it needs no secret. */
export class PoolThread {
  readonly #options: ThreadOptions;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #outbox: Outbox;
  #lastId = 0;
  #hasBegun = false;

  /** @param onDeath called once when it ended by itself; it must be given no more work then */
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
      // Its code is loaded: it gets what was asked for meanwhile.
      if (!this.#hasBegun) this.#outbox.open();
      this.#hasBegun = true;
      for (const end of ends) this.#end(end);
    });
    // A job or a result that cannot be read: nobody knows whose it was.
    this.#worker.on('messageerror', (error) => {
      void this.#worker.terminate();
      died(error);
    });
    this.#worker.on('error', died);
    this.#worker.on('exit', (code) => {
      died(new Error(`it ended with exit code ${code}`));
    });
  }

  /** How many jobs it has. */
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

  /** Ends it. Work under way is lost; wait for it before. */
  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #end(end: PostedEnd): void {
    const waiting = this.#take(end.id);
    if ('error' in end) waiting?.reject((this.#options.toError ?? unpackError)(end.error));
    else waiting?.resolve(end.result);
  }

  /** Whoever waits for a job that is over. */
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
