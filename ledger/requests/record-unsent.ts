import type { AttemptKey } from '../../contract/batch.ts';
import { quoteFrom } from '../../policy/money/pricing.ts';
import { unsentRequest } from '../../policy/reconcile/unsent-request.ts';
import { rowView } from '../../policy/rows/row-machine.ts';
import { readBatchLine, setBatch } from '../batches/read-batches.ts';
import { reopenClosed } from '../batches/reopen-closed.ts';
import { toRow } from '../records.ts';
import { toSettings } from '../batches/batch-records.ts';
import type { RowInHand } from '../rows/row-in-hand.ts';
import { chargeOfIntent } from './intents.ts';
import { ownerOf } from './taken-jobs.ts';

/**
 * Puts on record that the request that a row needs next was sent, with an unknown outcome, because a person names its
 * job. The row is open then, and no lane has it: a worker that was about to send finds the record, and its fencing
 * token is over. False, without any change, if the row needs something else, or another attempt has the job.
 */
export async function recordUnsent(row: RowInHand, key: AttemptKey, jobId: string): Promise<boolean> {
  const { tx, line, spec } = row;
  const batch = await readBatchLine(tx, key.batch);
  // A clean removes what a row asked for.
  if (batch.state === 'loading' || batch.rows_cleaned_at !== null || batch.cleaning !== null) return false;
  const record = toRow(line);
  const due = unsentRequest({ ...rowView(record), outcome: record.outcome, state: record.state }, row.attempts);
  if (due?.step !== key.step || due.take !== key.take || due.attempt !== key.attempt) return false;
  if ((await ownerOf(tx, { ...key, jobId })) !== undefined) return false;
  const settings = toSettings(batch.settings);
  const quote = quoteFrom(line.kind, key.step, spec, settings);
  const now = tx.now();
  const charge = chargeOfIntent(row, key, { ...quote, owner: '', maxSending: 0 }, settings, now);
  await row.addCharge({ ...charge, state: 'unknown', verdict_at: now });
  const promised = settings.budget === null ? 0 : (quote.quotedRest ?? 0);
  const hold = line.hold + 1;
  await row.change({ state: 'submitting', lane: null, hold, promised, updated_at: now });
  if (line.outcome !== null) {
    await row.change({ outcome: null, failure: null, file: null, ended_at: null });
    await reopenClosed(tx, key.batch);
  }
  if (batch.started_at === null) await setBatch(tx, key.batch, { started_at: now });
  return true;
}
