import type { ListedJob } from '../../api/speech-api.ts';
import type { JobList } from '../../batches/free-reads.ts';

/** Jobs per page of the API's list; the largest size that public material names. */
export const PAGE_SIZE = 50;

/** One complete read of the API's list. */
export interface JobListing {
  /** Each job once, in the API's order. */
  readonly jobs: readonly ListedJob[];
  /** False if the list continues beyond what was read. */
  readonly isWhole: boolean;
  /** Wall clock when the first page was requested, ms. */
  readonly begunAt: number;
}

/**
 * Shares one reading of a list among all look-ups of lost jobs in this process. It matters after a crash: a hundred
 * lost creates among thousands of jobs would otherwise read the whole list a hundred times.
 *
 * A reading that had already begun may be past the place of a caller's job. So a caller always gets one that begins
 * afterwards: the next one, shared by all who came during the last.
 */
export class SharedJobLists {
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #next = new Map<string, Promise<JobListing>>();

  /** A reading that begins after this call; `read` makes it, unless another caller's does. */
  next({ dialect, operation }: JobList, read: () => Promise<JobListing>): Promise<JobListing> {
    const list = `${dialect} ${operation}`;
    const next = this.#next.get(list) ?? this.#afterThisOne(list, read);
    this.#next.set(list, next);
    return next;
  }

  async #afterThisOne(list: string, read: () => Promise<JobListing>): Promise<JobListing> {
    await Promise.allSettled([this.#running.get(list)]);
    this.#next.delete(list);
    const mine = read();
    this.#running.set(list, mine);
    return mine;
  }
}
