import type { BatchView } from '../../batches/status/view-batch.ts';
import { viewExitAfter, type ExitName } from '../../contract/exit-codes.ts';
import { partNumber } from '../../contract/row-parts.ts';
import type { Reconciled, ReconciledRow } from './reconcile-options.ts';

/**
 * Views a reconciliation for `--json`. `orphans` (jobs that belong to no row) and `voices` are null if they could not
 * be listed.
 *
 * @param options.next the command that continues rows that were sent again; undefined if there are none
 * @param wordsOf what became of a row, as text
 */
export function viewReconciled(
  { rows, orphans, voices, forgotten, stored = [] }: Reconciled,
  {
    batch,
    exit,
    out,
    next,
  }: { readonly batch: string; readonly exit: ExitName; readonly out: string; readonly next?: string | undefined },
  { counts, money }: Pick<BatchView, 'counts' | 'money'>,
  wordsOf: (row: ReconciledRow) => string,
) {
  return {
    ...{ batch, ...viewExitAfter(exit, next), outcomes: counts.outcomes, credits: money, out },
    rows: rows.map((row) => ({
      row: row.partOf ?? row.row,
      ...((row.partOf ?? null) === null ? {} : { part: partNumber(row.id) }),
      ...{ id: row.id, is: row.type, jobId: row.jobId, message: wordsOf(row) },
    })),
    orphans:
      orphans.type === 'unreadable'
        ? null
        : orphans.orphans.map(({ id, status, createdAtMs, credits = null, videoHost = null, audioHost = null }) => {
            return { jobId: id, status, createdAt: timeOf(createdAtMs), credits, videoHost, audioHost };
          }),
    voices:
      voices.type === 'unreadable'
        ? null
        : voices.voices.map(({ createdAtMs, ...voice }) => ({ ...voice, createdAt: timeOf(createdAtMs) })),
    /**
     * Jobs in the out folder's receipts that the ledger lacks, as after a restore, also those of unknown rows. `take`:
     * the take to name along with the row in a command; null if the row's id is enough.
     */
    receiptJobs: (forgotten?.jobs ?? []).map(({ row, id, take = null, jobId }) => ({ row, id, take, jobId })),
    /**
     * Results in the store of requests that the ledger lacks, of rows of a lost batch or of such receipts. `file`: its
     * key, to name in place of a job; null if the row needs the job itself. `take`: as above.
     */
    storedResults: stored.map(({ row, id, take = null, key, isAdoptable }) => {
      return { row, id, take, file: isAdoptable ? key : null };
    }),
    /** Number of requests on such receipts that name no job. */
    receiptsWithoutJob: forgotten?.jobless.length ?? 0,
  };
}

function timeOf(ms: number | undefined): Date | null {
  return ms === undefined ? null : new Date(ms);
}
