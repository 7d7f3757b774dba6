import type { Dialect } from '../../contract/dialects.ts';
import type { Tuning } from '../../contract/tunables.ts';
import type { ManifestProblem } from '../../contract/manifest-problems.ts';
import type { SameAgain } from '../../policy/single/same-again.ts';
import type { Confirm } from '../person.ts';
import type { NotApproved } from '../run/approval.ts';
import type { JobResult } from './job-result.ts';

/** Options of every single job. What is left out comes from the configuration. */
export interface SingleJobOptions {
  /** Limits and policies. */
  readonly tuning?: Tuning;
  /** Length of media that state none, in seconds; for the price alone. */
  readonly assumeSeconds?: number;
  /**
   * Which of the API's dialects a new job speaks. A job on record keeps its own, and another one throws {@link VoxbatchError}
   * (`bad-option`). Default: the configuration's, else `v1`.
   */
  readonly apiDialect?: Dialect;
  /** A new take, at its price, if there is a result already. Default false. */
  readonly again?: boolean;
  /** Send again what may have been charged, which can charge it twice. Default false. */
  readonly resubmit?: boolean;
  /** Called before a bill above `confirmAbove` of the configuration is paid. Default: such a bill is refused. */
  readonly confirm?: Confirm;
  /** Ends the wait for the job, never the job itself. */
  readonly signal?: AbortSignal;
}

/**
 * What became of a single job. `done`: it has its result. `failed`: it has ended without. `held`: it ended before, and only
 * `again` or `resubmit` lets it run again; see `why`. `open`: the wait was aborted, or its batch paused; the same call
 * again goes on with it. In all other cases nothing was sent.
 */
export type SingleAnswer =
  | { readonly type: 'done' | 'failed' | 'open'; readonly job: JobResult }
  | {
      readonly type: 'held';
      readonly why: Extract<SameAgain, { readonly type: 'hold' }>['why'];
      readonly job: JobResult;
    }
  | { readonly type: 'faulty'; readonly problems: readonly ManifestProblem[] }
  /** It cannot go on as asked for; `why` says it in whole sentences. */
  | { readonly type: 'not-opened'; readonly why: string }
  | NotApproved;
