import type { PostedJob } from './serve-jobs.ts';

/** Where an outbox sends its jobs. */
export interface OutboxTarget {
  /** Posts jobs in one message; throws if one of them cannot be cloned, and then posts none. */
  readonly post: (jobs: readonly PostedJob[]) => void;
  /** Called for a job that cannot be posted. */
  readonly fail: (id: number, error: Error) => void;
}

/**
 * Gathers the jobs of one thread and posts those of one turn of the event loop together, in order: waking the thread
 * costs more than the message itself. A job with patience waits for the next urgent one, at most until its patience
 * runs out.
 */
export class Outbox {
  readonly #target: OutboxTarget;
  #jobs: PostedJob[] = [];
  #isOpen = false;
  #turn: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Infinity;

  constructor(target: OutboxTarget) {
    this.#target = target;
  }

  /** Posts the gathered jobs, and from now on later ones too. Called once the thread has loaded its code. */
  open(): void {
    this.#isOpen = true;
    this.#flush();
  }

  /** Drops jobs that were not posted. */
  clear(): void {
    this.#empty();
  }

  /** Adds a job. `patienceMs`: how long it may wait to share a message; 0 means until the end of this turn. */
  add(job: PostedJob, patienceMs: number): void {
    this.#jobs.push(job);
    if (!this.#isOpen) return;
    if (patienceMs > 0) this.#flushBy(performance.now() + patienceMs);
    else
      this.#turn ??= setImmediate(() => {
        this.#flush();
      });
  }

  #flushBy(dueAt: number): void {
    if (dueAt >= this.#dueAt || this.#turn !== undefined) return;
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => {
      this.#flush();
    }, dueAt - performance.now());
  }

  #flush(): void {
    const jobs = this.#empty();
    if (jobs.length === 0) return;
    try {
      this.#target.post(jobs);
    } catch {
      // One of them cannot be cloned; still post the others.
      for (const job of jobs) this.#postAlone(job);
    }
  }

  #postAlone(job: PostedJob): void {
    try {
      this.#target.post([job]);
    } catch (error) {
      this.#target.fail(job.id, error as Error);
    }
  }

  #empty(): readonly PostedJob[] {
    const jobs = this.#jobs;
    this.#jobs = [];
    clearImmediate(this.#turn);
    clearTimeout(this.#timer);
    [this.#turn, this.#timer, this.#dueAt] = [undefined, undefined, Infinity];
    return jobs;
  }
}
