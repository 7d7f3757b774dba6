import type { AttemptKey } from '../contract/batch.ts';
import { defined } from '../contract/defined.ts';
import { wasAccepted } from '../contract/outcomes.ts';
import type { Failure } from '../contract/failures.ts';
import { hasRunningJob, isFetchedAgain } from '../policy/row-machine.ts';
import { isSending } from './conditions.ts';
import { applyEffect, applyJobEnd, applyLateEffect, effectOf, withoutRetake } from './endings.ts';
import { LedgerMisuse } from './errors.ts';
import type { JobKey, SettleVerdict } from './charge-methods.ts';
import type { Ledger } from './ledger.ts';
import type { RowEffect } from './row-effects.ts';
import type { ChargeRecord, RowStanding } from './record-types.ts';
import { reserveAgain } from './part-budgets.ts';
import { keepPaidResult } from './kept-results.ts';
import { withoutJob } from './copied-files.ts';
import { whyUnfit } from './lost-files.ts';
import { jsonOrNull, toCharge, toFile } from './records.ts';
import { forgetUnfit } from './forget-results.ts';
import { haltAtTrouble } from './halts.ts';
import { useIfTried } from './refused-voices.ts';
import { afterFetch, isReturningTo, leaveReturn, noteWhereItStood } from './returned.ts';
import { RowInHand } from './row-in-hand.ts';
import { doubtResult, isPaidElsewhere, mayShareJob, ownerOf, takenFailure } from './taken-jobs.ts';
import type { ChargeLine, Db } from './schema.ts';
import { write } from './transactions.ts';

/**
 * What happens to an attempt after its intent.
 *
 * An attempt starts as `sending` (see `intents.ts`), or as `revoked` if somebody looked for its record and there was
 * none. From `sending`, a verdict leads to any other state. A late answer can still change `unknown`. When the job of
 * an `accepted` attempt ends, `finishedAt` is filled in and the state stays. All other states are final.
 */

/** Records a verdict and its effect on the row. See {@link Ledger.settle}. */
export async function settle(
  db: Db,
  key: AttemptKey,
  verdict: SettleVerdict,
  effect: RowEffect,
): Promise<{ settled: boolean } & RowStanding> {
  return write(db, async (tx) => {
    const row = await RowInHand.take(tx, key);
    return { settled: await settleInHand(row, key, verdict, effect), ...row.standing() };
  });
}

/** The same with a row in hand. Returns whether anything was settled. */
export async function settleInHand(
  row: RowInHand,
  key: AttemptKey,
  verdict: SettleVerdict,
  effect: RowEffect,
): Promise<boolean> {
  const charge = requireCharge(row, key);
  const isLate = charge.state === 'unknown' && verdict.verdict !== 'unknown';
  if (charge.state !== 'sending' && !isLate) return false;
  const { jobId } = verdict;
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
    // Reconcile looks for what it did make, and else gives the row up.
    return settleInHand(row, key, { verdict: 'unknown', failure, ...defined({ requestId }) }, { state: 'submitting' });
  }

  const now = Date.now();
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
    file: isDone ? jsonOrNull(verdict.file) : null,
    ...(verdict.judgement === undefined ? {} : { judgement: JSON.stringify(verdict.judgement) }),
  });
  await forgetUnfit(row, settled);
  if (isDone) await keepPaidResult(row.tx, settled, effect);
  if (isTaken) await useIfTried(row);
  const meant = effectOf(row, key.step, effect);
  // If the row has moved on to another take, or gone back to one, only the money matters.
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

/** Records what came to light on an attempt in doubt, and on its row if it was given up for that attempt. */
async function stayUnresolved(row: RowInHand, charge: ChargeLine, failure: Failure): Promise<void> {
  await row.changeCharge(charge, { failure: JSON.stringify(failure) });
  if (!row.isAt(charge.take) || row.line.outcome !== 'unknown') return;
  await row.change({ failure: JSON.stringify(failure), updated_at: Date.now() });
}

/** Records a price that came before the verdict. See {@link Ledger.notePrice}. */
export async function notePrice(
  db: Db,
  key: AttemptKey,
  { credits, requestId }: Parameters<Ledger['notePrice']>[1],
): Promise<void> {
  await write(db, async (tx) => {
    const row = await RowInHand.take(tx, key);
    const charge = requireCharge(row, key);
    if (charge.state !== 'sending' && charge.state !== 'unknown') return;
    // A request in doubt counts with what it would cost.
    const quoted = charge.state === 'unknown' ? credits : charge.quoted;
    await row.changeCharge(charge, { told: credits, request_id: requestId ?? null, quoted });
  });
}

/** Records the end of an accepted job. See {@link Ledger.finishJob}. */
export async function finishJob(
  db: Db,
  key: JobKey,
  end: Parameters<Ledger['finishJob']>[1],
  effect: RowEffect,
): Promise<{ finished: boolean } & RowStanding> {
  return write(db, async (tx) => {
    const row = await RowInHand.take(tx, key);
    const charge = requireCharge(row, key);
    const finished = hasRunningJob(toCharge(charge)) && isItsJob(charge, key);
    if (finished) {
      // Its file was stored before, and is lost: what is on record of it stays until there is another.
      const lost = toFile(charge.file);
      const same = lost !== null && lost.sha256 === end.file?.sha256 ? { ...lost, key: end.file.key } : undefined;
      const ended = await row.changeCharge(charge, {
        finished_at: Date.now(),
        file: jsonOrNull(same ?? end.file) ?? charge.file,
        failure: same === undefined ? jsonOrNull(end.failure) : whyUnfit(row, same),
        ...(end.credits === undefined
          ? {}
          : isPaidElsewhere(charge)
            ? { told: end.credits }
            : { charged: end.credits, charged_from: 'api' as const, priced_at: Date.now() }),
        ...withoutJob(charge),
      });
      if (lost === null) await keepPaidResult(tx, ended, effect);
      if (lost !== null || isReturningTo(row, ended)) {
        // It was announced as free: nothing is paid for by itself.
        const end = await afterFetch(row, ended, lost, withoutRetake(effect));
        // A stop may have cancelled its row meanwhile.
        await applyJobEnd(row, end, ['overdue', 'cancelled']);
      } else {
        // Earlier trouble with its result is over.
        const last = 'state' in effect ? { trouble: null, ...effect } : effect;
        if (row.isAt(key.take)) await applyJobEnd(row, last);
      }
    }
    return { finished, ...row.standing() };
  });
}

/** Changes a row whose job runs. See {@link Ledger.changeRunning}. */
export async function changeRunning(db: Db, key: JobKey, effect: RowEffect): Promise<RowStanding> {
  return write(db, async (tx) => {
    const row = await RowInHand.take(tx, key);
    const charge = requireCharge(row, key);
    const isWaitedFor = row.isAt(key.take) || isFetchedAgain(toCharge(charge));
    if (hasRunningJob(toCharge(charge)) && isItsJob(charge, key) && isWaitedFor) {
      if ('trouble' in effect && effect.trouble != null) await haltAtTrouble(row, key.step, effect.trouble);
      const left = 'outcome' in effect ? await leaveReturn(row) : undefined;
      await applyEffect(row, left ?? effect);
    }
    return row.standing();
  });
}

/** Attempts of the batch without a verdict. */
export async function listSending(db: Db, batch: string): Promise<readonly ChargeRecord[]> {
  const lines = await db
    .selectFrom('charges')
    .selectAll()
    .where('batch', '=', batch)
    .where(isSending('charges'))
    .orderBy('row')
    .execute();
  return lines.map(toCharge);
}

/** See {@link Ledger.countRunning}. */
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
