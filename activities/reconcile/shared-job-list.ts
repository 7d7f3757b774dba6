import type { ListedJob } from '../../api/speech-api.ts';
import type { JobList } from '../../batches/free-reads.ts';

/** Jobs per page of the API's list; the largest size that public material names. */
export const PAGE_SIZE = 50;

/** The result of one read of the API's job list. */
export interface JobListing {
  /** Each job once, in the API's order. */
  readonly jobs: readonly ListedJob[];
  /** False if the list continues beyond what was read. */
  readonly isComplete: boolean;
  /** Wall clock when the first page was requested, ms. */
  readonly begunAt: number;
}

/**
 * Shares reads of the API's job lists among all searches for lost jobs in this process. After a crash, a hundred lost
 * creates among thousands of jobs would otherwise read the whole list a hundred times.
 *
 * A read that has already begun may be past the place of a caller's job. So each caller gets a read that begins after
 * its call: the next one, shared by all callers that came during the current one.
 */
export class SharedJobLists {
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #next = new Map<string, Promise<JobListing>>();

  /** Returns a read of the list that begins after this call: by `read`, or by that of another caller. */
  next({ dialect, operation }: JobList, read: () => Promise<JobListing>): Promise<JobListing> {
    const list = `${dialect} ${operation}`;
    const next = this.#next.get(list) ?? this.#readAfterCurrent(list, read);
    this.#next.set(list, next);
    return next;
  }

  async #readAfterCurrent(list: string, read: () => Promise<JobListing>): Promise<JobListing> {
    await Promise.allSettled([this.#running.get(list)]);
    this.#next.delete(list);
    const mine = read();
    this.#running.set(list, mine);
    return mine;
  }
}
