import type { AttemptKey } from '../../contract/batch.ts';
import { defined } from '../../contract/defined.ts';
import { wasAccepted, type VerdictName } from '../../contract/outcomes.ts';
import type { Failure } from '../../contract/failures.ts';
import type { Judgement } from '../../contract/verify.ts';
import { hasRunningJob, isFetchedAgain } from '../../policy/rows/row-machine.ts';
import { isSending } from '../conditions.ts';
import { applyEffect, applyJobEnd, applyLateEffect, effectOf, withoutRetake } from '../rows/endings.ts';
import { LedgerMisuse } from '../errors.ts';
import type { Patience } from './intent-records.ts';
import type { RowEffect, RowEnding, RowProgress, Retake } from '../rows/row-effects.ts';
import type { ChargeRecord, ResultFile, RowStanding } from '../record-types.ts';
import { reserveAgain } from '../parts/part-budgets.ts';
import { keepPaidResult, forgetUnfit, withoutJob } from '../cache/kept-results.ts';
import { whyUnfit } from '../takes/lost-files.ts';
import { jsonOrNull, toCharge, toFile } from '../records.ts';
import { haltAtTrouble } from '../batches/halts.ts';
import { useIfTried } from '../voices/refused-voices.ts';
import { afterFetch, isReturningTo, leaveReturn, noteWhereItStood } from '../takes/returned.ts';
import { RowInHand } from '../rows/row-in-hand.ts';
import { keepSecondJob, type NamedJob } from './second-jobs.ts';
import { doubtResult, isPaidElsewhere, mayShareJob, ownerOf, takenFailure } from './taken-jobs.ts';
import type { ChargeLine, Db } from '../schema.ts';
import { write } from '../database/transactions.ts';
import { findBlocking } from './intents.ts';

/**
 * What happens to an attempt after its intent.
 *
 * An attempt starts as `sending` (see `intents.ts`), or as `revoked` if its record was looked up and missing. From
 * `sending`, a verdict leads to any other state. A late answer can still change `unknown`. When the job of an
 * `accepted` attempt ends, `finishedAt` is set and the state stays. All other states are final.
 */

/** An attempt, and the job that was read for it. If the attempt has another job by now, the reading does not apply. */
export interface JobKey extends AttemptKey {
  /** Omitted: whichever job it has. */
  readonly jobId?: string;
}

export interface SettleVerdict extends Patience, NamedJob {
  readonly verdict: VerdictName;
  readonly credits?: number;
  readonly failure?: Failure;
  readonly requestId?: string;
  /** For `done`. */
  readonly file?: ResultFile;
  /** For a verification that is `done`. One that did not pass also takes its speech out of the cache. */
  readonly judgement?: Judgement;
}

/**
 * Records a verdict and its effect on the row. Settles `sending`, and also `unknown` if a late answer arrives: a row
 * that had ended `unknown` is then open again, free for the next claim, or ended by the effect; for a row at another
 * take, only the money is recorded. Not `settled`, and nothing changes, if the attempt already has a final verdict; a
 * second job is kept beside it (see `second-jobs.ts`).
 *
 * A job that another attempt has is never charged twice. A first answer that names one is accepted at no charge if both
 * ask for the same; if not, the attempt is `unknown` instead, and its row is for reconcile, whatever the effect. A late
 * one is not `settled` and leaves the attempt in doubt, because the other attempt then has a job that is not its own
 * (see `taken-jobs.ts`).
 */
export async function settle(
  db: Db,
  key: AttemptKey,
  verdict: SettleVerdict,
  effect: RowEffect,
): Promise<{ readonly settled: boolean } & RowStanding> {
  return write(
    db,
    async (tx) => {
      const row = await RowInHand.take(tx, key);
      return { settled: await settleInHand(row, key, verdict, effect), ...row.standing() };
    },
    (tx) => [
      ...RowInHand.prefetch(tx, key),
      ...(verdict.jobId === undefined ? [] : [ownerOf(tx, { ...key, jobId: verdict.jobId })]),
    ],
  );
}

/** Does the same for a row already loaded. Returns whether anything was settled. */
export async function settleInHand(
  row: RowInHand,
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
    // Reconcile looks for the job it did make, or gives the row up.
    return settleInHand(row, key, { verdict: 'unknown', failure, ...defined({ requestId }) }, { state: 'submitting' });
  }

  const now = row.tx.now();
  const isTaken = wasAccepted(verdict.verdict);
  const credits = reportedPriceOf(verdict) ?? charge.told;
  const charged = !isTaken ? null : holder === undefined ? (credits ?? charge.quoted) : 0;
  const isDone = verdict.verdict === 'done';
  const settled = await row.changeCharge(charge, {
    state: verdict.verdict,
    quoted: verdict.verdict === 'unknown' ? (charge.told ?? charge.quoted) : charge.quoted,
    job_id: jobId ?? null,
    charged,
    charged_from: charged === null || holder !== undefined ? null : credits === null ? 'quote' : 'api',
    // A job counted elsewhere may later have to be counted here.
    told: holder === undefined ? charge.told : credits,
    failure: jsonOrNull(verdict.failure),
    request_id: verdict.requestId ?? verdict.failure?.requestId ?? charge.request_id,
    verdict_at: now,
    finished_at: isDone ? now : null,
    // In a copy that lacked a request, the record may be that of a second one, whose own answer may still come.
    ...defined({ owner: verdict.owner }),
    file: isDone ? jsonOrNull(verdict.file) : null,
    ...(verdict.judgement === undefined ? {} : { judgement: JSON.stringify(verdict.judgement) }),
  });
  await forgetUnfit(row, settled);
  if (isDone) await keepPaidResult(row.tx, settled, effect);
  if (isTaken) await useIfTried(row);
  const meant = effectOf(row, key.step, effect);
  // If the row is at another take, only the money matters.
  if (!row.isAt(key.take)) {
    await noteWhereItStood(row, settled, withoutRetake(meant));
    return true;
  }
  if (verdict.verdict === 'unknown') await applyEffect(row, meant);
  else await applyLateEffect(row, meant, key.step);
  if (verdict.verdict === 'not-accepted') await reserveAgain(row, settled);
  return true;
}

/**
 * The price that an answer reported. A job accepted at a price of 0 is billed at its end: until then its quote counts,
 * or a budget would treat all running jobs as free.
 */
function reportedPriceOf({ verdict, credits }: SettleVerdict): number | undefined {
  return verdict === 'accepted' && credits === 0 ? undefined : credits;
}

/** Records new facts on an attempt in doubt, and on its row if the row was given up because of it. */
async function stayUnresolved(row: RowInHand, charge: ChargeLine, failure: Failure): Promise<void> {
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
      const row = await RowInHand.take(tx, key);
      const charge = requireCharge(row, key);
      if (charge.state !== 'sending' && charge.state !== 'unknown') return;
      // A request in doubt counts with what it would cost.
      const quoted = charge.state === 'unknown' ? credits : charge.quoted;
      await row.changeCharge(charge, { told: credits, request_id: requestId ?? null, quoted });
    },
    (tx) => RowInHand.prefetch(tx, key),
  );
}

/** What a job ended with. */
export interface JobEnd extends Patience {
  readonly file?: ResultFile;
  readonly credits?: number;
  readonly failure?: Failure;
}

/**
 * Records the end of an accepted job, once, with its credits if the API named them only now. Not `finished` if it had
 * ended before.
 */
export async function finishJob(
  db: Db,
  key: JobKey,
  end: JobEnd,
  effect: RowEffect,
): Promise<{ readonly finished: boolean } & RowStanding> {
  return write(
    db,
    async (tx) => {
      const row = await RowInHand.take(tx, key);
      return { finished: await finishInHand(row, key, end, effect), ...row.standing() };
    },
    (tx) => RowInHand.prefetch(tx, key),
  );
}

/** Does the same for a row already loaded. Returns whether it has ended by this. */
export async function finishInHand(row: RowInHand, key: JobKey, end: JobEnd, effect: RowEffect): Promise<boolean> {
  const { tx } = row;
  const charge = requireCharge(row, key);
  if (!hasRunningJob(toCharge(charge)) || !isItsJob(charge, key)) return false;
  // Its stored file is lost: the file's record stays until there is another.
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
 * Changes a row with a running job, but no charge: its progress, or that nobody waits for it any more. No effect once
 * the job's end is on record (through another poll or process), or if the row is at another take.
 */
export async function changeRunning(db: Db, key: JobKey, effect: RowProgress | RowEnding): Promise<RowStanding> {
  return write(
    db,
    async (tx) => {
      const row = await RowInHand.take(tx, key);
      const charge = requireCharge(row, key);
      const isWaitedFor = row.isAt(key.take) || isFetchedAgain(toCharge(charge));
      if (hasRunningJob(toCharge(charge)) && isItsJob(charge, key) && isWaitedFor) {
        if ('trouble' in effect && effect.trouble != null) await haltAtTrouble(row, key.step, effect.trouble);
        const left = 'outcome' in effect ? await leaveReturn(row) : undefined;
        await applyEffect(row, left ?? effect);
      }
      return row.standing();
    },
    (tx) => RowInHand.prefetch(tx, key),
  );
}

/** The batch's attempts without a verdict. */
export async function sending(db: Db, batch: string): Promise<readonly ChargeRecord[]> {
  const lines = await db
    .selectFrom('charges')
    .selectAll()
    .where('batch', '=', batch)
    .where(isSending('charges'))
    .orderBy('row')
    .execute();
  return lines.map(toCharge);
}

/** Number of accepted jobs of this API and account that have not ended, in all batches. */
export async function countRunning(db: Db, apiUrl: string, account: string): Promise<number> {
  const { n } = await db
    .selectFrom('sums')
    .innerJoin('batches', 'batches.name', 'sums.batch')
    .select((eb) => eb.fn.sum<number | null>('sums.running').as('n'))
    .where('batches.api_url', '=', apiUrl)
    .where('batches.account', '=', account)
    .executeTakeFirstOrThrow();
  return n ?? 0;
}

/** True unless a person has meanwhile taken the key's job back from the attempt. */
function isItsJob(charge: ChargeLine, { jobId }: JobKey): boolean {
  return jobId === undefined || charge.job_id === jobId;
}

/** The record of an attempt. Throws {@link LedgerMisuse} if there is none. */
export function requireCharge(row: RowInHand, key: AttemptKey): ChargeLine {
  const found = row.chargeAt(key);
  if (found === undefined) {
    throw new LedgerMisuse(
      `No intent is recorded for attempt ${key.attempt} of take ${key.take} of ${key.step}, row ${key.row} of "${key.batch}"; ` +
        'a verdict needs one.',
    );
  }
  return found;
}

/**
 * Ends the open row of an attempt that is `unknown`, or that is due and cannot be made; or gives it a new take. Changes
 * no charge. No effect if the attempt is in flight or has another verdict, or the row is at another take.
 *
 * The caller may have stalled since it last looked, and the attempt may have been made, answered or adopted meanwhile.
 * So the transaction that ends the row checks again.
 */
export async function giveUp(db: Db, key: AttemptKey, effect: RowEnding | Retake): Promise<RowStanding> {
  return write(db, async (tx) => {
    const row = await RowInHand.take(tx, key);
    const blocking = findBlocking(row.chargesOf(key.step), key);
    const isOwn = blocking?.take === key.take && blocking.attempt === key.attempt;
    const isOver = blocking === undefined || (isOwn && blocking.state === 'unknown');
    if (isOver && row.isAt(key.take)) await applyEffect(row, effectOf(row, key.step, effect));
    return row.standing();
  });
}
