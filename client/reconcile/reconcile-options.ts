import type { SettledRow } from '../../batches/reconcile/decisions.ts';
import type { Remaining } from '../../batches/reconcile/settle.ts';
import type { RequestFault, SettlementRequest } from '../../batches/reconcile/settlement-request.ts';
import type { listLostVoices, listOrphans } from '../../batches/reconcile/unclaimed.ts';
import type { NamedRow } from '../../contract/row-parts.ts';
import type { ForgottenResult } from '../../batches/reconcile/forgotten-results.ts';
import type { ForgottenRequests } from '../../batches/reconcile/forgotten-requests.ts';
import type { Confirm } from '../person.ts';
import type { PaidEnd, RedriveEvent, RedriveFacts } from '../redrive/redrive-options.ts';

/**
 * What to settle in a batch. Without any of these, all unknown rows are looked up. Only `resubmit` spends money, and
 * later steps of rows that a settlement lets continue.
 */
export interface ReconcileOptions extends SettlementRequest {
  /** Folder of the batch's files. Default `out/NAME`. */
  readonly out?: string;
  /** Why, for the record. */
  readonly reason?: string;
  /**
   * Called before the rows of `resubmit` are paid for again. Default: refuses a bill above the configuration's
   * `confirmAbove` and pays any other.
   */
  readonly confirm?: Confirm<RedriveFacts>;
}

/** What became of a row: settled by evidence or decision, or resubmitted. */
export type ReconciledRow = SettledRow | (NamedRow & { readonly jobId: string | null; readonly type: 'resubmitted' });

/** API jobs that belong to no row; `unreadable`: the API's lists could not be read, so nothing is known. */
export type OrphanList = Awaited<ReturnType<typeof listOrphans>>;

/** Voices that rows' lost requests may have created; `unreadable`: the list could not be read. */
export type LostVoices = Awaited<ReturnType<typeof listLostVoices>>;

/** The outcome of each row, and the API's jobs and voices that belong to no row. */
export interface Reconciled {
  readonly rows: readonly ReconciledRow[];
  readonly orphans: OrphanList;
  readonly voices: LostVoices;
  /** Requests, or only their jobs, in the out folder's receipts that the ledger lacks, as after a restore. */
  readonly forgotten?: ForgottenRequests | undefined;
  /** Results in the store of such requests whose receipts name no job, or of rows of a lost batch. */
  readonly stored?: readonly ForgottenResult[] | undefined;
}

/** Events while rows are settled: each row, then the API's unclaimed jobs and voices, then the rows sent again. */
export type ReconcileEvent =
  | { readonly type: 'settled'; readonly row: SettledRow }
  /** `again`: rows to pay for again if no trace of them was found. */
  | ({ readonly type: 'listed'; readonly rows: readonly SettledRow[]; readonly again: readonly number[] } & Pick<
      Reconciled,
      'orphans' | 'voices' | 'forgotten' | 'stored'
    >)
  | RedriveEvent;

/**
 * Result of a reconciliation. `open`: the batch needs a worker. `settled`: no work is left; `changed` says whether rows
 * or only the batch's sums changed. In the other cases, the rows of `resubmit` were not sent again, but whatever could
 * be settled still was. After a {@link RequestFault}, or if nobody can be asked (`unconfirmed`), nothing was changed.
 */
export type ReconcileEnd =
  | (Reconciled & { readonly type: 'open'; readonly paid?: Extract<PaidEnd, { readonly type: 'open' | 'finished' }> })
  | (Reconciled & { readonly type: 'settled'; readonly changed: Remaining['changed'] })
  | (Reconciled & Exclude<PaidEnd, { readonly type: 'open' | 'finished' }>)
  /** This many `requests` may be charged twice, which needs a person's consent, but nobody can be asked. */
  | { readonly type: 'unconfirmed'; readonly requests: number }
  | RequestFault;
