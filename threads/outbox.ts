import type { Transferable } from 'node:worker_threads';
import type { PostedJob } from './serve-jobs.ts';

interface Parcel {
  readonly job: PostedJob;
  readonly transfer: readonly Transferable[];
}

/** What an outbox does with what it gathered. */
export interface Carrier {
  /** Posts jobs in one message; throws if one of them cannot be cloned, and then nothing was handed over. */
  readonly post: (jobs: readonly PostedJob[], transfer: readonly Transferable[]) => void;
  /** Told of a job that cannot be posted. */
  readonly fail: (id: number, error: Error) => void;
}

/**
 * Gathers the jobs of one thread, and posts those of one turn of the event loop together, in their order: each message wakes the thread, which
 * costs more than what is in it. A job with patience waits for the next one without, or until its patience is over.
 */
export class Outbox {
  readonly #carrier: Carrier;
  #parcels: Parcel[] = [];
  #isOpen = false;
  #turn: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Infinity;

  constructor(carrier: Carrier) {
    this.#carrier = carrier;
  }

  /** Posts what it has, and from now on what it is given. Until then it only gathers. */
  open(): void {
    this.#isOpen = true;
    this.#flush();
  }

  /** Forgets what was not posted. */
  clear(): void {
    this.#empty();
  }

  add(job: PostedJob, transfer: readonly Transferable[], patienceMs: number): void {
    this.#parcels.push({ job, transfer });
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
    const parcels = this.#empty();
    if (parcels.length === 0) return;
    try {
      this.#post(parcels);
    } catch {
      // One of them cannot be cloned: the others are not to suffer for it.
      for (const parcel of parcels) this.#postAlone(parcel);
    }
  }

  #postAlone(parcel: Parcel): void {
    try {
      this.#post([parcel]);
    } catch (error) {
      this.#carrier.fail(parcel.job.id, error as Error);
    }
  }

  #post(parcels: readonly Parcel[]): void {
    this.#carrier.post(
      parcels.map(({ job }) => job),
      parcels.flatMap(({ transfer }) => transfer),
    );
  }

  #empty(): readonly Parcel[] {
    const parcels = this.#parcels;
    this.#parcels = [];
    clearImmediate(this.#turn);
    clearTimeout(this.#timer);
    [this.#turn, this.#timer, this.#dueAt] = [undefined, undefined, Infinity];
    return parcels;
  }
}
