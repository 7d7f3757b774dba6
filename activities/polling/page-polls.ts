import { setTimeout as sleep } from 'node:timers/promises';
import type { JobReading } from '../../api/speech-api.ts';
import type { JobList } from '../../batches/free-reads.ts';
import type { Dialect } from '../../contract/dialects.ts';
import { isListed, type JobOperation } from '../../contract/row-kinds.ts';
import { learnPages, NEW_LIST, pagesFor, restOnce, WORTH_A_PAGE } from '../../policy/polling/page-plan.ts';
import { PAGE_SIZE } from '../reconcile/shared-job-list.ts';

/** Polls that are due within this fraction of the gap are made together. */
const GATHER_PART = 0.1;
const GATHER_MOST_MS = 500;
/**
 * Maximum consecutive polls by page. A list may be cached, or say nothing of its jobs' state, and a job that has ended
 * must not wait for it.
 */
const MOST_LISTED = 8;
/** Jobs whose acceptance times are kept, to estimate the page that others are on. */
const MOST_TIMES = 20_000;

/** A job that a list may show. */
export interface ListableJob {
  /** Of its attempt. */
  readonly name: string;
  readonly jobId: string;
  readonly dialect: Dialect;
  readonly operation: JobOperation;
  /** Wall clock, ms. */
  readonly acceptedAt: number;
}

/** What a poll by page needs. */
export interface PollByPage {
  /** Jobs of one batch are polled together. */
  readonly batch: string;
  /** Time between two polls of one job, ms. */
  readonly gapMs: number;
  /** Reads a page of a list, from 1 on; an empty one if that fails. Rejects only if the ledger cannot be read. */
  readonly readPage: (list: JobList, page: number) => Promise<readonly JobReading[]>;
  /** Aborts when polling ends. */
  readonly ending: AbortSignal;
}

/** Jobs of a batch that are due at about the same time. */
interface Gathering {
  readonly jobs: ListableJob[];
  readonly found: Promise<ReadonlyMap<string, JobReading>>;
}

/**
 * Polls jobs that the API lists by page, if one page shows several that are due. A page only shows which jobs still
 * run: a job that has ended, or is not on the page, is read by itself, because a list may be a moment old, and its
 * links too.
 */
export class PagePolls {
  readonly #lists = new Map<string, ListPolls>();

  /** The job is waited for from now on. */
  waitsFor(job: ListableJob): void {
    this.#listOf(job)?.waitsFor(job);
  }

  /** The job is no longer waited for. */
  forget(name: string): void {
    for (const list of this.#lists.values()) list.forget(name);
  }

  /**
   * What a page says about a job that still runs; undefined if the job itself must be read. Rejects only if the ledger
   * cannot be read.
   */
  async readingOf(job: ListableJob, where: PollByPage): Promise<JobReading | undefined> {
    return this.#listOf(job)?.readingOf(job, where);
  }

  /** The list that may show a job, if any does. */
  #listOf({ dialect, operation }: ListableJob): ListPolls | undefined {
    if (!isListed(operation)) return undefined;
    const name = `${dialect} ${operation}`;
    const list = this.#lists.get(name) ?? new ListPolls({ dialect, operation });
    this.#lists.set(name, list);
    return list;
  }
}

/** The polls by the pages of one list. */
class ListPolls {
  readonly #list: JobList;
  readonly #gatherings = new Map<string, Gathering>();
  /** Acceptance times of the jobs that this process waits or waited for, nearly ascending. */
  #times: number[] = [];
  /** How often in a row each was polled by page. */
  readonly #running = new Map<string, number>();
  #sense = NEW_LIST;

  constructor(list: JobList) {
    this.#list = list;
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
      for (const [index, reading] of (await readPage(this.#list, page)).entries()) {
        const place = places.get(reading.id);
        // A list without states shows nothing.
        if (place === undefined || found.has(reading.id) || reading.status === '') continue;
        found.set(reading.id, reading);
        moved.push((page - 1) * PAGE_SIZE + index - place);
      }
    }
    if (pages.length > 0) this.#sense = learnPages(this.#sense, moved, pages.length);
    return found;
  }

  /** How many jobs of this process were accepted after each one, by job id. */
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
