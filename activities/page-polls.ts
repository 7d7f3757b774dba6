import { setTimeout as sleep } from 'node:timers/promises';
import type { JobReading } from '../api/speech-api.ts';
import { isListed, type JobOperation, type ListedOperation } from '../contract/row-kinds.ts';
import { learnPages, NEW_LIST, pagesFor, restOnce, WORTH_A_PAGE } from '../policy/page-plan.ts';
import { PAGE_SIZE } from './shared-job-list.ts';

/** Polls that are due within this part of the gap are made together. */
const GATHER_PART = 0.1;
const GATHER_MOST_MS = 500;
/**
 * Polls in a row that may be made by a page: a list may be as old as whoever keeps it likes, or say nothing of how its jobs stand, and a job that has
 * ended must not wait for it.
 */
const MOST_LISTED = 8;
/** Jobs whose times are kept, to tell how far down others stand. */
const MOST_TIMES = 20_000;

/** A job that a list may show. */
export interface ListableJob {
  /** Of its attempt. */
  readonly name: string;
  readonly jobId: string;
  readonly operation: JobOperation;
  /** Wall clock, ms. */
  readonly acceptedAt: number;
}

/** Where a job is looked for. */
export interface PollByPage {
  /** Jobs of one batch are looked for together. */
  readonly batch: string;
  /** Time between two polls of one job, ms. */
  readonly gapMs: number;
  /** Reads a page of a list, from 1 on; an empty one if that fails. Rejects only where the ledger cannot be asked. */
  readonly readPage: (operation: ListedOperation, page: number) => Promise<readonly JobReading[]>;
  /** Polls end. */
  readonly ending: AbortSignal;
}

/** Jobs of a batch that are due at about the same time. */
interface Gathering {
  readonly jobs: ListableJob[];
  readonly found: Promise<ReadonlyMap<string, JobReading>>;
}

/**
 * Polls jobs that the API lists, by pages where one shows several that are due. A page says only which jobs still run: one that has
 * ended, or was not found, is read by itself, for a list may be a moment old and its links as well.
 */
export class PagePolls {
  readonly #lists = new Map<ListedOperation, ListPolls>();

  /** The job is waited for from now on. */
  waitsFor(job: ListableJob): void {
    if (isListed(job.operation)) this.#listOf(job.operation).waitsFor(job);
  }

  /** The job is waited for no longer. */
  forget(name: string): void {
    for (const list of this.#lists.values()) list.forget(name);
  }

  /** What a page says of a job that still runs; undefined where the job itself must be read. Rejects only where the ledger cannot be asked. */
  async readingOf(job: ListableJob, where: PollByPage): Promise<JobReading | undefined> {
    return isListed(job.operation) ? this.#listOf(job.operation).readingOf(job, where) : undefined;
  }

  #listOf(operation: ListedOperation): ListPolls {
    const list = this.#lists.get(operation) ?? new ListPolls(operation);
    this.#lists.set(operation, list);
    return list;
  }
}

/** The polls by the pages of one list. */
class ListPolls {
  readonly #operation: ListedOperation;
  readonly #gatherings = new Map<string, Gathering>();
  /** When the jobs were accepted that this process waits for or waited for, ascending but for a few. */
  #times: number[] = [];
  /** How often in a row each was polled by a page. */
  readonly #running = new Map<string, number>();
  #sense = NEW_LIST;

  constructor(operation: ListedOperation) {
    this.#operation = operation;
  }

  waitsFor({ name, acceptedAt }: ListableJob): void {
    if (this.#running.has(name)) return;
    this.#running.set(name, 0);
    this.#times.push(acceptedAt);
    if (this.#times.length > 2 * MOST_TIMES) this.#times = this.#times.slice(-MOST_TIMES);
  }

  forget(name: string): void {
    this.#running.delete(name);
  }

  async readingOf(job: ListableJob, where: PollByPage): Promise<JobReading | undefined> {
    if (this.#running.size < WORTH_A_PAGE) return undefined;
    const listed = this.#running.get(job.name) ?? 0;
    this.#running.set(job.name, 0);
    if (listed >= MOST_LISTED) return undefined;
    let gathering = this.#gatherings.get(where.batch);
    if (gathering === undefined) {
      const jobs: ListableJob[] = [];
      gathering = { jobs, found: this.#gather(where, jobs) };
      this.#gatherings.set(where.batch, gathering);
    }
    gathering.jobs.push(job);
    const reading = (await gathering.found).get(job.jobId);
    if (reading?.phase !== 'running') return undefined;
    this.#running.set(job.name, listed + 1);
    return reading;
  }

  async #gather(
    { batch, gapMs, readPage, ending }: PollByPage,
    jobs: readonly ListableJob[],
  ): Promise<ReadonlyMap<string, JobReading>> {
    const found = new Map<string, JobReading>();
    try {
      await sleep(Math.min(GATHER_MOST_MS, GATHER_PART * gapMs), undefined, { signal: ending });
    } catch {
      return found;
    } finally {
      this.#gatherings.delete(batch);
    }
    if (jobs.length < WORTH_A_PAGE) return found;
    if (this.#sense.rest > 0) {
      this.#sense = restOnce(this.#sense);
      return found;
    }
    const places = this.#placesOf(jobs);
    const pages = pagesFor(this.#sense, [...places.values()], PAGE_SIZE);
    const moved: number[] = [];
    for (const page of pages) {
      for (const [index, reading] of (await readPage(this.#operation, page)).entries()) {
        const place = places.get(reading.id);
        // A list that says nothing of how a job stands shows nothing of it.
        if (place === undefined || found.has(reading.id) || reading.status === '') continue;
        found.set(reading.id, reading);
        moved.push((page - 1) * PAGE_SIZE + index - place);
      }
    }
    if (pages.length > 0) this.#sense = learnPages(this.#sense, moved, pages.length);
    return found;
  }

  /** How many jobs of this process were accepted after each, by job id. */
  #placesOf(jobs: readonly ListableJob[]): ReadonlyMap<string, number> {
    const newestFirst = [...this.#times].sort((a, b) => b - a);
    const places = new Map<string, number>();
    for (const { jobId, acceptedAt } of jobs) {
      let [low, high] = [0, newestFirst.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((newestFirst[middle] ?? 0) > acceptedAt) low = middle + 1;
        else high = middle;
      }
      places.set(jobId, low);
    }
    return places;
  }
}
