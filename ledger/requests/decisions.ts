import type { ActionKind, By } from '../../contract/actions.ts';
import type { AttemptKey } from '../../contract/batch.ts';
import { requireCharge } from './charges.ts';
import { recordMissingRequest } from './record-missing.ts';
import { releaseJob } from './release-job.ts';
import { settleAttempt } from './settle.ts';
import { LedgerMisuse } from '../errors.ts';
import { noteAction } from '../history/actions.ts';
import { recordDecision, type Decision } from './decision-records.ts';
import { RowInTransaction } from '../rows/row-in-transaction.ts';
import type { Db } from '../schema.ts';
import { write } from '../database/transactions.ts';

/*
 * Carries out a person's decisions about requests with an unknown outcome, and their reversal. Each is recorded with
 * its change in one transaction. Nothing here sends a request.
 */

/**
 * Carries out and records a person's decision about an attempt. Returns false, without any change, if it does not
 * apply. `adopted` needs an attempt that is `unknown`, or the row's next request if it was never recorded, be it of the
 * next take of a row that has ended; no other attempt may have the job. `not-charged` needs an unknown outcome,
 * `released` a job that a person assigned. Throws {@link LedgerMisuse} for marking an attempt of the row's present take
 * as not charged, or for releasing a job whose result a later step has used.
 */
export async function decide(db: Db, key: AttemptKey, decision: Decision, by: By): Promise<boolean> {
  return write(db, async (tx) => {
    const row = await RowInTransaction.load(tx, key);
    const files = decision.type === 'released' ? await releaseJob(row, key) : [];
    if (decision.type === 'adopted') {
      const known = row.chargeAt(key);
      // A request in flight gets an answer, which names its job.
      if (known?.state === 'sending' || (known !== undefined && decision.isUnsent === true)) return false;
      if (known === undefined && !(await recordMissingRequest(row, key, decision))) return false;
      if (!(await adopt(row, key, decision.jobId))) return false;
      // Nothing proves that this request made the job, so no other row may use its result.
      await row.changeCharge(requireCharge(row, key), { result_key: null });
    }
    if (decision.type === 'not-charged') {
      if (row.isAt(key.take)) {
        throw new LedgerMisuse(
          `Row ${key.row} of "${key.batch}" is at take ${key.take}: what was not charged is sent again, which is for a new take. Nothing was changed.`,
        );
      }
      if (!(await settleAttempt(row, key, { verdict: 'not-accepted' }, { state: 'waiting' }))) return false;
    }
    if (files === undefined) return false;
    await recordDecision(tx, key, decision, by.actor.name, files);
    const details = 'jobId' in decision ? { jobId: decision.jobId } : {};
    const { batch, row: number } = key;
    await noteAction(tx, by, { kind: KINDS[decision.type], batch, rows: [number], details });
    return true;
  });
}

/** The action on record for each decision. */
const KINDS = { adopted: 'adopt', released: 'release', 'not-charged': 'not-charged' } as const satisfies Record<
  Decision['type'],
  ActionKind
>;

/**
 * Assigns to an attempt the job or voice that a person named. A job is then waited for; a voice is itself the result.
 */
function adopt(row: RowInTransaction, key: AttemptKey, jobId: string): Promise<boolean> {
  return key.step === 'voice'
    ? settleAttempt(row, key, { verdict: 'done', jobId, isAdopted: true }, { outcome: 'succeeded', text: jobId })
    : settleAttempt(row, key, { verdict: 'accepted', jobId, isAdopted: true }, { state: 'processing' });
}
