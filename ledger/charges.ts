import type { AttemptKey } from '../contract/batch.ts';
import type { Failure } from '../contract/failures.ts';
import { LedgerMisuse } from './errors.ts';
import type { Ledger, RowEffect, SettleVerdict } from './ledger.ts';
import type { ChargeRecord, RowStanding } from './record-types.ts';
import { jsonOrNull, toCharge } from './records.ts';
import { applyEffect, applyJobEnd, applyLateEffect } from './endings.ts';
import { haltAtTrouble } from './halts.ts';
import { standingOf } from './rows.ts';
import { holderOf, isPaidElsewhere, takenFailure } from './taken-jobs.ts';
import { write, type ChargeLine, type Db, type Tx } from './schema.ts';

/**
 * What happens to an attempt after its intent.
 *
 * An attempt starts as `sending` (see `intents.ts`), or at once as `revoked`, where somebody looked for its record and there
 * was none. From `sending` a verdict leads to any other state. `unknown` is left once more if the answer comes late. An
 * `accepted` attempt ends once more, when its job does; that fills in `finishedAt` and leaves the state as it is. All other states are final.
 */

/** Records a verdict and its effect on the row. See {@link Ledger.settle}. */
export async function settle(
  db: Db,
  key: AttemptKey,
  verdict: SettleVerdict,
  effect: RowEffect,
): Promise<{ settled: boolean } & RowStanding> {
  return write(db, async (tx) => ({
    settled: await settleInside(tx, key, verdict, effect),
    ...(await standingOf(tx, key)),
  }));
}

/** The same within a transaction. Returns whether anything was settled. */
export async function settleInside(
  tx: Tx,
  key: AttemptKey,
  verdict: SettleVerdict,
  effect: RowEffect,
): Promise<boolean> {
  const charges = await chargesOfStep(tx, key);
  const charge = requireCharge(charges, key);
  const isLate = charge.state === 'unknown' && verdict.verdict !== 'unknown';
  if (charge.state !== 'sending' && !isLate) return false;
  const { jobId } = verdict;
  const holder = jobId === undefined ? undefined : await holderOf(tx, key.batch, jobId);
  if (holder !== undefined && verdict.isAdopted === true) return false;
  if (holder !== undefined && jobId !== undefined && isLate) {
    await stayInDoubt(tx, charge, takenFailure(jobId, holder));
    return false;
  }

  const now = Date.now();
  const isTaken = verdict.verdict === 'accepted' || verdict.verdict === 'done';
  const credits = verdict.credits ?? charge.told;
  const charged = !isTaken ? null : holder === undefined ? (credits ?? charge.quoted) : 0;
  const isDone = verdict.verdict === 'done';
  await updateCharge(tx, charge, {
    state: verdict.verdict,
    ...(verdict.verdict === 'unknown' && charge.told !== null ? { quoted: charge.told } : {}),
    job_id: jobId ?? null,
    charged,
    charged_from: charged === null || holder !== undefined ? null : credits === null ? 'quote' : 'api',
    failure: jsonOrNull(verdict.failure),
    request_id: verdict.requestId ?? verdict.failure?.requestId ?? charge.requestId,
    verdict_at: now,
    finished_at: isDone ? now : null,
    file: isDone ? jsonOrNull(verdict.file) : null,
  });
  // The row may have gone on to another take: then this is news about money only.
  if (!(await isCurrent(tx, key))) return true;
  const apply = verdict.verdict === 'unknown' ? applyEffect : applyLateEffect;
  await apply(tx, key.batch, key.row, effect);
  return true;
}

/** Says on an attempt in doubt, and on its row if that was given up for it, what came to light. */
async function stayInDoubt(tx: Tx, charge: ChargeRecord, failure: Failure): Promise<void> {
  await updateCharge(tx, charge, { failure: JSON.stringify(failure) });
  await tx
    .updateTable('rows')
    .set({ failure: JSON.stringify(failure), updated_at: Date.now() })
    .where('batch', '=', charge.batch)
    .where('row', '=', charge.row)
    .where('take', '=', charge.take)
    .where('outcome', '=', 'unknown')
    .execute();
}

/** Notes a price that came before the verdict. See {@link Ledger.notePrice}. */
export async function notePrice(
  db: Db,
  key: AttemptKey,
  { credits, requestId }: Parameters<Ledger['notePrice']>[1],
): Promise<void> {
  await write(db, async (tx) => {
    const charge = requireCharge(await chargesOfStep(tx, key), key);
    if (charge.state !== 'sending' && charge.state !== 'unknown') return;
    // What is in doubt counts with what it would cost.
    const quoted = charge.state === 'unknown' ? { quoted: credits } : {};
    await updateCharge(tx, charge, { told: credits, request_id: requestId ?? null, ...quoted });
  });
}

/** Records the end of an accepted job. See {@link Ledger.finishJob}. */
export async function finishJob(
  db: Db,
  key: AttemptKey,
  end: Parameters<Ledger['finishJob']>[1],
  effect: RowEffect,
): Promise<{ finished: boolean } & RowStanding> {
  return write(db, async (tx) => {
    const charge = requireCharge(await chargesOfStep(tx, key), key);
    const finished = isRunning(charge);
    if (finished) {
      await updateCharge(tx, charge, {
        finished_at: Date.now(),
        file: jsonOrNull(end.file),
        failure: jsonOrNull(end.failure),
        ...(end.credits === undefined || isPaidElsewhere(charge)
          ? {}
          : { charged: end.credits, charged_from: 'api' as const }),
      });
      // What went wrong with its result on the way is over.
      const last = 'state' in effect ? { trouble: null, ...effect } : effect;
      if (await isCurrent(tx, key)) await applyJobEnd(tx, key.batch, key.row, last);
    }
    return { finished, ...(await standingOf(tx, key)) };
  });
}

/** Changes a row whose job runs. See {@link Ledger.changeRunning}. */
export async function changeRunning(db: Db, key: AttemptKey, effect: RowEffect): Promise<RowStanding> {
  return write(db, async (tx) => {
    const charge = requireCharge(await chargesOfStep(tx, key), key);
    if (isRunning(charge) && (await isCurrent(tx, key))) {
      if ('trouble' in effect && effect.trouble != null) await haltAtTrouble(tx, key, effect.trouble);
      await applyEffect(tx, key.batch, key.row, effect);
    }
    return standingOf(tx, key);
  });
}

/** True for an accepted attempt whose job has not ended as far as is known. */
function isRunning(charge: ChargeRecord): boolean {
  return charge.state === 'accepted' && charge.finishedAt === null;
}

/** True if the attempt belongs to the take that its row is at. */
export async function isCurrent(tx: Tx, key: AttemptKey): Promise<boolean> {
  const row = await tx
    .selectFrom('rows')
    .select('take')
    .where('batch', '=', key.batch)
    .where('row', '=', key.row)
    .executeTakeFirstOrThrow();
  return row.take === key.take;
}

/** Attempts of the batch without a verdict. */
export async function listSending(db: Db, batch: string): Promise<readonly ChargeRecord[]> {
  const lines = await db
    .selectFrom('charges')
    .selectAll()
    .where('batch', '=', batch)
    .where('state', '=', 'sending')
    .orderBy('row')
    .execute();
  return lines.map(toCharge);
}

/** See {@link Ledger.countRunning}. */
export async function countRunning(db: Db, apiUrl: string, account: string): Promise<number> {
  const { n } = await db
    .selectFrom('charges')
    .innerJoin('batches', 'batches.name', 'charges.batch')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('charges.state', '=', 'accepted')
    .where('charges.finished_at', 'is', null)
    .where('batches.api_url', '=', apiUrl)
    .where('batches.account', '=', account)
    .executeTakeFirstOrThrow();
  return n;
}

/** Every attempt of the step that the key names, all takes, oldest first. */
export async function chargesOfStep(tx: Tx, key: AttemptKey): Promise<readonly ChargeRecord[]> {
  const lines = await tx
    .selectFrom('charges')
    .selectAll()
    .where('batch', '=', key.batch)
    .where('row', '=', key.row)
    .where('step', '=', key.step)
    .orderBy('take')
    .orderBy('attempt')
    .execute();
  return lines.map(toCharge);
}

/** The record of an attempt. Throws {@link LedgerMisuse} if there is none. */
export function requireCharge(charges: readonly ChargeRecord[], key: AttemptKey): ChargeRecord {
  const found = charges.find((charge) => charge.take === key.take && charge.attempt === key.attempt);
  if (found === undefined) {
    throw new LedgerMisuse(
      `No intent is recorded for attempt ${key.attempt} of take ${key.take} of ${key.step}, row ${key.row} of "${key.batch}"; ` +
        'a verdict needs one.',
    );
  }
  return found;
}

/** Changes an attempt, and with it the sum that its batch keeps. */
export async function updateCharge(tx: Tx, charge: ChargeRecord, change: Partial<ChargeLine>): Promise<void> {
  const more = change.charged === undefined ? 0 : (change.charged ?? 0) - (charge.charged ?? 0);
  if (more !== 0) {
    const { charged } = await tx
      .selectFrom('batches')
      .select('charged')
      .where('name', '=', charge.batch)
      .executeTakeFirstOrThrow();
    // Without the dust of binary fractions, which many small prices would pile up.
    const sum = Math.round((charged + more) * 1e6) / 1e6;
    await tx.updateTable('batches').set({ charged: sum }).where('name', '=', charge.batch).execute();
  }
  await tx
    .updateTable('charges')
    .set(change)
    .where('batch', '=', charge.batch)
    .where('row', '=', charge.row)
    .where('step', '=', charge.step)
    .where('take', '=', charge.take)
    .where('attempt', '=', charge.attempt)
    .execute();
}
