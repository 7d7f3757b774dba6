import type { ListedJob, Voice } from '../api/speech-api.ts';
import type { Dialect } from '../contract/dialects.ts';
import type { AttemptKey } from '../contract/batch.ts';
import type { JobOperation, ListedOperation } from '../contract/row-kinds.ts';

/** The API did not answer, so nothing is known; `why` has the reason. */
export interface Unreadable {
  readonly type: 'unreadable';
  readonly why: string;
}

/** Which of the API's lists of jobs to read, and in which dialect. */
export interface JobList {
  readonly dialect: Dialect;
  readonly operation: ListedOperation;
}

/**
 * Free reads from API and store, which `reconcile` needs to settle requests of unknown outcome. The implementation
 * (`activities/`) paces each call, like all reads, and refuses batches of another API or account.
 */
export interface FreeReads {
  /**
   * Looks for traces of a request whose answer was lost, and settles it if any are found. `found`: its result was in
   * the store, and the row has ended. `adopted`: its job was in the API's list, and the row is open again. `none`: no
   * trace was found, and nothing was changed.
   */
  recoverAnswer(
    request: AttemptKey,
  ): Promise<{ readonly type: 'found' | 'adopted' } | { readonly type: 'none' } | Unreadable>;
  /**
   * Asks whether the API has a job of this operation and id, and what it charged, if reported. `missing`: there is no
   * such job; `why` is the API's message.
   */
  findJob(
    batch: string,
    jobs: { readonly dialect: Dialect; readonly operation: JobOperation },
    jobId: string,
  ): Promise<
    | { readonly type: 'there'; readonly credits?: number }
    | { readonly type: 'missing'; readonly why: string }
    | Unreadable
  >;
  /**
   * Reads the API's list of an operation's jobs, each once. `begunAt`: wall clock when it was requested, ms since 1970.
   */
  listJobs(
    batch: string,
    list: JobList,
  ): Promise<{ readonly type: 'listed'; readonly jobs: readonly ListedJob[]; readonly begunAt: number } | Unreadable>;
  /** Reads the API's list of voices, each once. */
  listVoices(
    batch: string,
    dialect: Dialect,
  ): Promise<{ readonly type: 'listed'; readonly voices: readonly Voice[] } | Unreadable>;
}
