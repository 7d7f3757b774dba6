import type { AttemptKey } from '../../contract/batch.ts';
import type { Failure } from '../../contract/failures.ts';
import { hasRunningJob, isFetchedAgain } from '../../policy/rows/row-machine.ts';
import { haltAtTrouble } from '../batches/halts.ts';
import { withoutJob, keepPaidResult } from '../cache/kept-results.ts';
import { write } from '../database/transactions.ts';
import type { RowSnapshot } from '../rows/row-records.ts';
import { toFile, jsonOrNull, type ResultFile } from '../records.ts';
import { toCharge } from './charge-records.ts';
import { withoutRetake, applyJobEnd, applyEffect } from '../rows/endings.ts';
import type { RowEffect, RowProgress, RowEnding } from '../rows/row-effects.ts';
import { RowInTransaction } from '../rows/row-in-transaction.ts';
import type { ChargeLine, Db } from '../schema.ts';
import { whyUnfit } from '../takes/lost-files.ts';
import { isReturningTo, afterFetch, leaveReturn } from '../takes/returned.ts';
import { requireCharge } from './charges.ts';
import type { Patience } from './intent-records.ts';
import { isPaidElsewhere } from './taken-jobs.ts';

/** An attempt, and the job that was read for it. If the attempt has another job by now, the end does not apply. */
export interface JobKey extends AttemptKey {
  /** Omitted: whichever job it has. */
  readonly jobId?: string;
}

/** What a job ended with. */
export interface JobEnd extends Patience {
  /** Its result. */
  readonly file?: ResultFile;
  /** The charge that the API named. */
  readonly credits?: number;
  /** Why it has no result, or why the result did not pass. */
  readonly failure?: Failure;
}

/**
 * Records the end of an accepted job, once, with its charge if the API named it only now, and applies its effect to the
 * row. Not `finished`, without any change, if it had ended before. Also returns the row.
 */
export async function finishJob(
  db: Db,
  key: JobKey,
  end: JobEnd,
  effect: RowEffect,
): Promise<{ readonly finished: boolean } & RowSnapshot> {
  return write(
    db,
    async (tx) => {
      const row = await RowInTransaction.load(tx, key);
      return { finished: await recordJobEnd(row, key, end, effect), ...row.snapshot() };
    },
    (tx) => RowInTransaction.prefetch(tx, key),
  );
}

/** Does the same for a row already loaded. Returns `finished`. */
export async function recordJobEnd(
  row: RowInTransaction,
  key: JobKey,
  end: JobEnd,
  effect: RowEffect,
): Promise<boolean> {
  const { tx } = row;
  const charge = requireCharge(row, key);
  if (!hasRunningJob(toCharge(charge)) || !isItsJob(charge, key)) return false;
  // The job is read again for a lost file, whose record stays until there is another file.
  const lost = toFile(charge.file);
  const same = lost !== null && lost.sha256 === end.file?.sha256 ? { ...lost, key: end.file.key } : undefined;
  const ended = await row.changeCharge(charge, {
    finished_at: tx.now(),
    file: jsonOrNull(same ?? end.file) ?? charge.file,
    failure: same === undefined ? jsonOrNull(end.failure) : whyUnfit(row, same),
    ...(end.credits === undefined
      ? {}
      : isPaidElsewhere(charge)
        ? { told: end.credits }
        : { charged: end.credits, charged_from: 'api' as const, priced_at: tx.now() }),
    ...withoutJob(charge),
  });
  if (lost === null) await keepPaidResult(tx, ended, effect);
  if (lost !== null || isReturningTo(row, ended)) {
    // The fetch was announced as free, so it must not start a paid retake.
    const end = await afterFetch(row, ended, lost, withoutRetake(effect));
    // A stop may have cancelled its row meanwhile.
    await applyJobEnd(row, end, ['overdue', 'cancelled']);
  } else {
    // Earlier trouble with its result is over.
    const last = 'state' in effect ? { trouble: null, ...effect } : effect;
    if (row.isAt(key.take)) await applyJobEnd(row, last);
  }
  return true;
}

/**
 * Applies an effect to a row with a running job, without a change of the attempt: progress, or an ending without
 * waiting for the job. No effect once the job's end is on record (through another poll or process), or if the row is at
 * another take. Returns the row.
 */
export async function changeRunning(db: Db, key: JobKey, effect: RowProgress | RowEnding): Promise<RowSnapshot> {
  return write(
    db,
    async (tx) => {
      const row = await RowInTransaction.load(tx, key);
      const charge = requireCharge(row, key);
      const isWaitedFor = row.isAt(key.take) || isFetchedAgain(toCharge(charge));
      if (hasRunningJob(toCharge(charge)) && isItsJob(charge, key) && isWaitedFor) {
        if ('trouble' in effect && effect.trouble != null) await haltAtTrouble(row, key.step, effect.trouble);
        const left = 'outcome' in effect ? await leaveReturn(row) : undefined;
        await applyEffect(row, left ?? effect);
      }
      return row.snapshot();
    },
    (tx) => RowInTransaction.prefetch(tx, key),
  );
}

/** Whether the attempt still has the key's job: a person may have taken it back meanwhile. */
export function isItsJob(charge: ChargeLine, { jobId }: JobKey): boolean {
  return jobId === undefined || charge.job_id === jobId;
}
