import { randomUUID } from 'node:crypto';
import type { JobOperation } from '../contract/row-kinds.ts';
import type { MediaResult } from './media-result.ts';

/**
 * A job of the simulator.
 *
 * It waits until `startsAt`, is processed until `finishesAt`, and is then done or failed for good. Only the clock moves
 * it: its phase is computed on each read. A stuck job has no `finishesAt`.
 */
export interface Job {
  readonly id: string;
  readonly operation: JobOperation;
  readonly requestId: string;
  readonly createdAt: number;
  /** Ms since 1970. Changed only by {@link JobBook.hasten}. */
  startsAt: number;
  /** Ms since 1970; Infinity for a stuck job, or until its media were fetched. */
  finishesAt: number;
  /** Why it will fail; null if it will not. Changes only before it ends. */
  failure: string | null;
  readonly credits: number;
  readonly result: MediaResult;
  readonly videoUrl?: string;
  readonly audioUrl?: string;
}

/** Where a job is in its life; each phase has several status words in the API. */
export type Phase = 'waiting' | 'processing' | 'done' | 'failed';

/** Returns a job's phase at a time (ms since 1970). */
export function phaseOf(job: Job, now: number): Phase {
  if (now < job.startsAt) return 'waiting';
  if (now < job.finishesAt) return 'processing';
  return job.failure === null ? 'done' : 'failed';
}

/** Returns a job's progress at a time, 0 to 100. */
export function progressOf(job: Job, now: number): number {
  if (job.finishesAt === Infinity) return now < job.startsAt ? 0 : 50;
  const span = Math.max(job.finishesAt - job.startsAt, 1);
  return Math.round(100 * Math.min(Math.max((now - job.startsAt) / span, 0), 1));
}

/** All jobs of a run, by id and by time. Ids are random, so they are never reused, whatever the seed. */
export class JobBook {
  readonly #byId = new Map<string, Job>();
  readonly #lipSync: Job[] = [];
  readonly #unfinished = new Set<Job>();
  /** Running synchronous requests. */
  #synchronous = 0;

  /** Returns a new id in the API's format. */
  newId(): string {
    return randomUUID();
  }

  add(job: Job): void {
    this.#byId.set(job.id, job);
    this.#unfinished.add(job);
    if (job.operation === 'lip-sync-job') this.#lipSync.push(job);
  }

  find(operation: Job['operation'], id: string): Job | undefined {
    const job = this.#byId.get(id);
    return job?.operation === operation ? job : undefined;
  }

  /** Returns all lip-sync jobs, newest first. */
  listLipSync(): Job[] {
    return this.#lipSync.toReversed();
  }

  /** Makes each running job end within this many ms from now; a stuck one stays stuck. */
  hasten(now: number, withinMs: number): void {
    for (const job of this.#unfinished) {
      if (job.finishesAt === Infinity) continue;
      job.startsAt = Math.min(job.startsAt, now);
      job.finishesAt = Math.min(job.finishesAt, now + withinMs);
    }
  }

  /** Counts unfinished jobs and running synchronous requests. */
  countUnfinished(now: number): number {
    for (const job of this.#unfinished) if (now >= job.finishesAt) this.#unfinished.delete(job);
    return this.#unfinished.size + this.#synchronous;
  }

  /** Counts a synchronous request as running until the returned function is called. */
  beginSynchronous(): () => void {
    this.#synchronous += 1;
    return () => {
      this.#synchronous -= 1;
    };
  }
}
