import type { ListedJob } from '../api/speech-api.ts';
import type { AttemptKey } from '../contract/batch.ts';
import type { JobOperation, ListedOperation } from '../contract/row-kinds.ts';

/** The API did not answer, so nothing is known; `why` is in its own words. */
export interface Unreadable {
  readonly type: 'unreadable';
  readonly why: string;
}

/**
 * Reads that settling needs of the API and the store. They cost nothing. Whoever provides them waits for the turn of each call, as all
 * reads do, and refuses a batch of another API or account.
 */
export interface FreeReads {
  /**
   * Looks for what a request whose answer was lost left behind, and settles it by that. `found`: its result was in the store, the row has
   * ended. `adopted`: its job was in the API's list, the row is open again. `none`: there is no trace, and nothing was changed.
   */
  findTrace(
    request: AttemptKey,
  ): Promise<{ readonly type: 'found' | 'adopted' } | { readonly type: 'none' } | Unreadable>;
  /** Asks whether the API has a job of this operation and id, and what it charged for it, where it says so. `missing`: it has none; `why` is in its own words. */
  findJob(
    batch: string,
    operation: JobOperation,
    jobId: string,
  ): Promise<
    | { readonly type: 'there'; readonly credits?: number }
    | { readonly type: 'missing'; readonly why: string }
    | Unreadable
  >;
  /** The API's list of an operation's jobs, each once. `begunAt`: wall clock when it was asked for, ms. */
  listJobs(
    batch: string,
    operation: ListedOperation,
  ): Promise<{ readonly type: 'listed'; readonly jobs: readonly ListedJob[]; readonly begunAt: number } | Unreadable>;
}
