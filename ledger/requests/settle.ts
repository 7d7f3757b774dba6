import type { AttemptKey } from '../../contract/batch.ts';
import { defined } from '../../contract/defined.ts';
import type { Failure } from '../../contract/failures.ts';
import { type VerdictName, wasAccepted } from '../../contract/outcomes.ts';
import type { Judgement } from '../../contract/verify.ts';
import { forgetUnfit, keepPaidResult } from '../cache/kept-results.ts';
import { write } from '../database/transactions.ts';
import { reserveAgain } from '../parts/part-budgets.ts';
import type { RowSnapshot } from '../rows/row-records.ts';
import { jsonOrNull, type ResultFile } from '../records.ts';
import { effectOf, withoutRetake, applyEffect, applyLateEffect } from '../rows/endings.ts';
import type { RowEffect } from '../rows/row-effects.ts';
import { RowInTransaction } from '../rows/row-in-transaction.ts';
import type { Db, ChargeLine } from '../schema.ts';
import { applyToReturning } from '../takes/returned.ts';
import { releaseTriedVoice } from '../voices/refused-voices.ts';
import { requireCharge } from './charges.ts';
import type { Patience } from './intent-records.ts';
import { type VerdictJob, keepSecondJob, ownerOf, takenFailure, mayShareJob, doubtResult } from './taken-jobs.ts';

/*
 * Verdicts of attempts: what answers to requests say.
 *
 * An attempt starts as `sending` (see `intents.ts`), or as `revoked` if its record was looked up and missing. From
 * `sending`, a verdict leads to any other state. A late answer can still change `unknown`. When the job of an
 * `accepted` attempt ends, `finishedAt` is set and the state stays. All other states are final.
 */

/** The verdict of an answer. */
export interface SettleVerdict extends Patience, VerdictJob {
  readonly verdict: VerdictName;
  /** The price that the answer named. */
  readonly credits?: number;
  readonly failure?: Failure;
  readonly requestId?: string;
  /** For `done`. */
  readonly file?: ResultFile;
  /** For a verification that is `done`. If it did not pass, its speech is removed from the cache. */
  readonly judgement?: Judgement;
}

/**
 * Records the verdict of an attempt and its effect on the row. The attempt must be `sending`, or `unknown` for a late
 * answer: a row that had ended `unknown` then reopens, free for the next claim, or ends by the effect. If the row is at
 * another take, only the attempt changes. Not `settled`, without any change, if the attempt has a final verdict
 * already; a second job is then recorded beside it (see `taken-jobs.ts`). Also returns the row.
 *
 * A job that another attempt has is never charged twice (see `taken-jobs.ts`). A first answer that names such a job is
 * accepted at no charge if both requests are equal; otherwise the attempt becomes `unknown`, whatever the effect. A
 * late answer that names one is not `settled`, and the attempt stays in doubt.
 */
export async function settle(
  db: Db,
  key: AttemptKey,
  verdict: SettleVerdict,
  effect: RowEffect,
): Promise<{ readonly settled: boolean } & RowSnapshot> {
  return write(
    db,
    async (tx) => {
      const row = await RowInTransaction.load(tx, key);
      return { settled: await settleAttempt(row, key, verdict, effect), ...row.snapshot() };
    },
    (tx) => [
      ...RowInTransaction.prefetch(tx, key),
      ...(verdict.jobId === undefined ? [] : [ownerOf(tx, { ...key, jobId: verdict.jobId })]),
    ],
  );
}

/** Does the same for a row already loaded. Returns `settled`. */
export async function settleAttempt(
  row: RowInTransaction,
  key: AttemptKey,
  verdict: SettleVerdict,
  effect: RowEffect,
): Promise<boolean> {
  const charge = requireCharge(row, key);
  const isLate = charge.state === 'unknown' && verdict.verdict !== 'unknown';
  const { jobId } = verdict;
  if (charge.state !== 'sending' && !isLate) {
    await keepSecondJob(row.tx, charge, verdict);
    return false;
  }
  const holder = jobId === undefined ? undefined : await ownerOf(row.tx, { ...key, jobId });
  if (holder !== undefined && verdict.isAdopted === true) return false;
  if (holder !== undefined && jobId !== undefined && isLate) {
    await stayUnresolved(row, charge, takenFailure(jobId, holder, true));
    return false;
  }
  if (holder !== undefined && jobId !== undefined && !(await mayShareJob(row.tx, charge, holder))) {
    await doubtResult(row.tx, holder);
    const { requestId } = verdict;
    const failure = takenFailure(jobId, holder, false);
    // `reconcile` then looks for the job that this request made, or gives the row up.
    return settleAttempt(row, key, { verdict: 'unknown', failure, ...defined({ requestId }) }, { state: 'submitting' });
  }

  const now = row.tx.now();
  const isAccepted = wasAccepted(verdict.verdict);
  const credits = reportedPriceOf(verdict) ?? charge.told;
  const charged = !isAccepted ? null : holder === undefined ? (credits ?? charge.quoted) : 0;
  const isDone = verdict.verdict === 'done';
  const settled = await row.changeCharge(charge, {
    state: verdict.verdict,
    quoted: verdict.verdict === 'unknown' ? (charge.told ?? charge.quoted) : charge.quoted,
    job_id: jobId ?? null,
    charged,
    charged_from: charged === null || holder !== undefined ? null : credits === null ? 'quote' : 'api',
    // If the job is charged to another attempt, keeps the price: the charge may move here later.
    told: holder === undefined ? charge.told : credits,
    failure: jsonOrNull(verdict.failure),
    request_id: verdict.requestId ?? verdict.failure?.requestId ?? charge.request_id,
    verdict_at: now,
    finished_at: isDone ? now : null,
    // In a copy of the database that lacked this request, the record may be of a second one of another process.
    ...defined({ owner: verdict.owner }),
    file: isDone ? jsonOrNull(verdict.file) : null,
    ...(verdict.judgement === undefined ? {} : { judgement: JSON.stringify(verdict.judgement) }),
  });
  await forgetUnfit(row, settled);
  if (isDone) await keepPaidResult(row.tx, settled, effect);
  if (isAccepted) await releaseTriedVoice(row);
  const effectOnRow = effectOf(row, key.step, effect);
  // If the row is at another take, only the money matters.
  if (!row.isAt(key.take)) {
    await applyToReturning(row, settled, withoutRetake(effectOnRow));
    return true;
  }
  if (verdict.verdict === 'unknown') await applyEffect(row, effectOnRow);
  else await applyLateEffect(row, effectOnRow, key.step);
  if (verdict.verdict === 'not-accepted') await reserveAgain(row, settled);
  return true;
}

/**
 * Returns the price that an answer reported. A job accepted at a price of 0 is billed at its end; until then its quote
 * counts, because otherwise a budget would treat all running jobs as free.
 */
function reportedPriceOf({ verdict, credits }: SettleVerdict): number | undefined {
  return verdict === 'accepted' && credits === 0 ? undefined : credits;
}

/** Records a new reason on an attempt in doubt, and on its row if that has ended `unknown`. */
async function stayUnresolved(row: RowInTransaction, charge: ChargeLine, failure: Failure): Promise<void> {
  await row.changeCharge(charge, { failure: JSON.stringify(failure) });
  if (!row.isAt(charge.take) || row.line.outcome !== 'unknown') return;
  await row.change({ failure, updated_at: row.tx.now() });
}

/**
 * Records the price that an answer reported, before its result is stored. A verdict without a figure uses this one;
 * an `unknown` attempt counts with it from then on. No effect on an attempt with another verdict.
 */
export async function notePrice(
  db: Db,
  key: AttemptKey,
  { credits, requestId }: { readonly credits: number; readonly requestId?: string },
): Promise<void> {
  await write(
    db,
    async (tx) => {
      const row = await RowInTransaction.load(tx, key);
      const charge = requireCharge(row, key);
      if (charge.state !== 'sending' && charge.state !== 'unknown') return;
      // A request in doubt counts with what it would cost.
      const quoted = charge.state === 'unknown' ? credits : charge.quoted;
      await row.changeCharge(charge, { told: credits, request_id: requestId ?? null, quoted });
    },
    (tx) => RowInTransaction.prefetch(tx, key),
  );
}
