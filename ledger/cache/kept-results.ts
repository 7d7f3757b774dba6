import { ofAttempt } from '../conditions.ts';
import { allOf, preparedWrite } from '../database/prepared.ts';
import { toFile, type ResultFile } from '../records.ts';
import { toCharge } from '../requests/charge-records.ts';
import type { RowEffect } from '../rows/row-effects.ts';
import type { ChargeLine, Tx } from '../schema.ts';
import { results, type ResultsTable } from '../tables/charges.ts';
import { attemptKeyOf, type AttemptKey } from '../../contract/batch.ts';
import { checkedStepOf } from '../../contract/row-kinds.ts';
import type { RowInTransaction } from '../rows/row-in-transaction.ts';

/*
 * The cache: results that later rows may reuse, those of attempts with a cache key whose file is complete and passed
 * all checks. Also the states of an attempt that reused a result (`cached`).
 */

/** A result's data besides its file. */
interface Besides {
  readonly extraFiles?: readonly ResultFile[];
  readonly text?: string | null;
  readonly jobId: string | null;
  /** Charged credits; null if unknown. */
  readonly credits: number | null;
}

const insertResult = preparedWrite(
  results,
  (db, given: ResultsTable) =>
    db
      .insertInto('results')
      .values(allOf(results, given))
      // The entry exists if a person had the result fetched again, from the same job.
      .onConflict((conflict) =>
        conflict
          .columns(['batch', 'row', 'step', 'take', 'attempt'])
          .doUpdateSet((eb) => ({ file: eb.ref('excluded.file'), bytes: eb.ref('excluded.bytes') })),
      ),
  ({ key }) => [`results:${key}`],
);

/** Adds an attempt's result to the cache, if the attempt has a key, a file and no failure. */
export async function keepResult(tx: Tx, charge: ChargeLine, besides: Besides): Promise<void> {
  const file = toFile(charge.file);
  if (charge.result_key === null || file === null || charge.failure !== null) return;
  const { extraFiles = [], text = null, jobId, credits } = besides;
  const now = tx.now();
  await insertResult(tx, {
    ...{ ...attemptKeyOf(charge), key: charge.result_key, text, credits },
    file: JSON.stringify(file),
    extra_files: extraFiles.length === 0 ? null : JSON.stringify(extraFiles),
    job_id: jobId,
    bytes: [file, ...extraFiles].reduce((sum, { bytes }) => sum + bytes, 0),
    made_at: now,
    used_at: now,
  });
}

const renewResult = preparedWrite(
  results,
  (db, given: AttemptKey & { key: string; now: number }) =>
    db.updateTable('results').set({ made_at: given.now, used_at: given.now }).where(ofAttempt(given)),
  ({ key }) => [`results:${key}`],
);

/** Makes a result the first choice among those of its key, because a person chose it. No effect if it is not cached. */
export async function preferResult(tx: Tx, charge: ChargeLine): Promise<void> {
  if (charge.result_key === null) return;
  await renewResult(tx, { ...attemptKeyOf(charge), key: charge.result_key, now: tx.now() });
}

/** Caches the result of an answered request, an ended job, or a reused result whose lost file was restored. */
export async function keepPaidResult(tx: Tx, charge: ChargeLine, effect: RowEffect): Promise<void> {
  const besides = 'outcome' in effect ? { extraFiles: effect.extraFiles ?? [], text: effect.text ?? null } : {};
  const own = { jobId: charge.job_id, credits: charge.charged };
  const { jobId, credits } = (charge.state === 'cached' ? toCharge(charge).source : null) ?? own;
  await keepResult(tx, charge, { ...besides, jobId, credits });
}

/** Removes an attempt's entry from the cache, so that no later row uses its result. */
export async function forgetResult(tx: Tx, of: AttemptKey): Promise<void> {
  await tx.deleteFrom('results').where(ofAttempt(of)).execute();
}

/** If `check` is a failed check, removes the speech that it checked from the cache; else no effect. */
export async function forgetUnfit(row: RowInTransaction, check: ChargeLine): Promise<void> {
  const checked = checkedStepOf(row.line.kind, check.step);
  if (checked === undefined || check.judgement === null || check.failure === null) return;
  const speech = row.chargesOf(checked).findLast(({ file, take }) => file !== null && take === check.from_take);
  if (speech === undefined) return;
  await forgetResult(row.tx, speech);
  const { source } = toCharge(speech);
  if (source?.is === 'used') await forgetResult(row.tx, source.from);
}

/** Returns the file marked as removed from the store on purpose, now (ms) or at the time already marked. */
export function removed(file: ResultFile, now: number): ResultFile {
  return { ...file, removedAt: file.removedAt ?? now };
}

/*
 * If the file of a reused result is lost, the job that made it is read again. The attempt that reused it is `cached`
 * and has no job. While the original job is read for it, the attempt is `accepted` with that job, free of charge, so
 * that it counts as a running job everywhere. When the job ends, the attempt is `cached` again.
 */

/** Returns the changes to an attempt while its original job is read again; none unless it is `cached`. */
export function withJob(charge: ChargeLine): Partial<ChargeLine> {
  if (charge.state !== 'cached') return {};
  return { state: 'accepted', job_id: toCharge(charge).source?.jobId ?? null, charged: 0, charged_from: null };
}

/** Returns the changes that undo {@link withJob}; none for other attempts. */
export function withoutJob(charge: ChargeLine): Partial<ChargeLine> {
  if (charge.state !== 'accepted' || toCharge(charge).source?.is !== 'used') return {};
  return { state: 'cached', job_id: null, charged: null, charged_from: null, told: null };
}
