import type { ListedJob } from '../api/speech-api.ts';
import type { ListedOperation } from '../contract/row-kinds.ts';

/** Jobs a page of the API's list; the largest that public material names. */
export const PAGE_SIZE = 50;

/** What the API's list said. */
export interface Listing {
  /** Each job once, in the API's order. */
  readonly jobs: readonly ListedJob[];
  /** False if it goes on beyond what was read. */
  readonly isWhole: boolean;
  /** Wall clock when the first page was asked for, ms. */
  readonly begunAt: number;
}

/**
 * Lets everybody in this process who looks for a lost job share the reading of one list. It matters after a crash: a hundred
 * lost creates among thousands of jobs would else read the whole list a hundred times.
 *
 * A list that had begun before somebody asked may have passed the place where his job is, so he always gets one that begins
 * afterwards: the next one, for all who came while one was being read.
 */
export class Listings {
  readonly #running = new Map<ListedOperation, Promise<unknown>>();
  readonly #next = new Map<ListedOperation, Promise<Listing>>();

  /** A list that begins after this call; `read` reads it, unless somebody else's does. */
  next(operation: ListedOperation, read: () => Promise<Listing>): Promise<Listing> {
    const next = this.#next.get(operation) ?? this.#afterThisOne(operation, read);
    this.#next.set(operation, next);
    return next;
  }

  async #afterThisOne(operation: ListedOperation, read: () => Promise<Listing>): Promise<Listing> {
    await Promise.allSettled([this.#running.get(operation)]);
    this.#next.delete(operation);
    const mine = read();
    this.#running.set(operation, mine);
    return mine;
  }
}
