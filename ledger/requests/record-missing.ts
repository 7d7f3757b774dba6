import type { AttemptKey } from '../../contract/batch.ts';
import { quoteFrom } from '../../policy/money/pricing.ts';
import { adoptableRequests } from '../../policy/reconcile/missing-requests.ts';
import { findUnresolved } from '../../policy/redrive/redrive.ts';
import { toSettings } from '../batches/batch-records.ts';
import { readBatchLine } from '../batches/read-batches.ts';
import { reopenClosed } from '../batches/reopen-closed.ts';
import { setBatch } from '../batches/set-batch.ts';
import type { RowInTransaction } from '../rows/row-in-transaction.ts';
import { toRow } from '../rows/row-records.ts';
import { payAgain } from '../takes/redrive.ts';
import type { Decision } from './decision-records.ts';
import { chargeOfIntent } from './intents.ts';
import { ownerOf } from './taken-jobs.ts';

/** More automatic takes than any setting allows. */
const ALL_AUTO_TAKES = 1_000_000;

/**
 * Records a request that was sent but is missing from the ledger, with an unknown outcome, because a person has named
 * its job, or its stored result (`reconcile --adopt` after a restore). It is the request that the row needs next; or
 * with `after`, the first request of the next take of a row that has ended with that outcome. Such a take begins as a
 * redrive's does, and the row keeps its result until it has another; no automatic take follows it.
 *
 * Leaves the row open and in no lane, and raises its fencing token: a worker that was about to send the same request
 * finds the record and stops. Returns false, without any change, if the row needs something else, or another attempt
 * has the job.
 */
export async function recordMissingRequest(
  row: RowInTransaction,
  key: AttemptKey,
  { jobId, after }: Partial<Pick<Extract<Decision, { readonly type: 'adopted' }>, 'jobId' | 'after'>>,
): Promise<boolean> {
  const { tx } = row;
  const batch = await readBatchLine(tx, key.batch);
  // `clean` has removed the rows' requests, or is about to.
  if (batch.state === 'loading' || batch.rows_cleaned_at !== null || batch.cleaning !== null) return false;
  // The row may have been run again since the person looked, or its answer may have come.
  if (after === undefined ? key.take !== row.line.take : row.line.outcome !== after) return false;
  const missing = adoptableRequests(toRow(row.line), row.attempts, key.take);
  if (!missing.some((one) => one.step === key.step && one.attempt === key.attempt)) return false;
  if (jobId !== undefined && (await ownerOf(tx, { ...key, jobId })) !== undefined) return false;
  const wasEnded = row.line.outcome !== null;
  if (after !== undefined) {
    // An earlier request of the step that may have been charged: this take pays for it a second time.
    const mayPayTwice = findUnresolved(row.spec, key.step, row.attempts) !== undefined;
    await payAgain(row, { fromStep: key.step, reason: mayPayTwice ? 'resubmitted' : 'redrive' });
    // The cells may have been edited for this take: a retake would pay for what they were before, and may be there.
    await row.change({ auto_takes: ALL_AUTO_TAKES });
  }
  const settings = toSettings(batch.settings);
  const quote = quoteFrom(row.line.kind, key.step, row.spec, settings);
  const now = tx.now();
  // No process owns the request, and it is not about to be sent, so it needs no place among those in flight.
  const charge = chargeOfIntent(row, key, { ...quote, owner: '', maxSending: 0 }, settings, now);
  await row.addCharge({ ...charge, state: 'unknown', verdict_at: now });
  // As for a request that is sent: with a budget, the quotes of the row's later steps are reserved.
  const promised = settings.budget === null ? 0 : (quote.quotedRest ?? 0);
  const hold = row.line.hold + 1;
  await row.change({ state: 'submitting', lane: null, hold, promised, updated_at: now });
  if (row.line.outcome !== null) await row.change({ outcome: null, failure: null, file: null, ended_at: null });
  if (wasEnded) await reopenClosed(tx, key.batch);
  if (batch.started_at === null) await setBatch(tx, key.batch, { started_at: now });
  return true;
}
