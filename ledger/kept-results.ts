import { prepared } from './prepared.ts';
import type { ResultFile } from './record-types.ts';
import { toCharge, toFile } from './records.ts';
import type { RowEffect } from './row-effects.ts';
import type { ChargeLine, Tx } from './schema.ts';
import type { ResultsTable } from './tables/charges.ts';

/** Which results later rows may use: of attempts that have a key and brought a whole file that passed all checks. */

/** What a result has besides its file. */
interface Besides {
  readonly extraFiles?: readonly ResultFile[];
  readonly text?: string | null;
  readonly jobId: string | null;
  /** What was charged for it; null: nobody knows. */
  readonly credits: number | null;
}

const insertResult = prepared((db, given: ResultsTable) =>
  db
    .insertInto('results')
    .values({
      key: given.key,
      batch: given.batch,
      row: given.row,
      step: given.step,
      take: given.take,
      attempt: given.attempt,
      file: given.file,
      extra_files: given.extra_files,
      text: given.text,
      job_id: given.job_id,
      credits: given.credits,
      bytes: given.bytes,
      made_at: given.made_at,
      used_at: given.used_at,
    })
    // Fetched again after a person asked for it: the same job, and so the same result.
    .onConflict((conflict) =>
      conflict
        .columns(['batch', 'row', 'step', 'take', 'attempt'])
        .doUpdateSet((eb) => ({ file: eb.ref('excluded.file'), bytes: eb.ref('excluded.bytes') })),
    ),
);

/** Keeps the result of an attempt, if it may be used again. */
export async function keepResult(tx: Tx, charge: ChargeLine, besides: Besides): Promise<void> {
  const file = toFile(charge.file);
  if (charge.result_key === null || file === null || charge.failure !== null) return;
  const { batch, row, step, take, attempt } = charge;
  const { extraFiles = [], text = null, jobId, credits } = besides;
  const now = tx.now();
  await insertResult(tx, {
    ...{ key: charge.result_key, batch, row, step, take, attempt, text, credits },
    file: JSON.stringify(file),
    extra_files: extraFiles.length === 0 ? null : JSON.stringify(extraFiles),
    job_id: jobId,
    bytes: [file, ...extraFiles].reduce((sum, { bytes }) => sum + bytes, 0),
    made_at: now,
    used_at: now,
  });
}

/** Keeps the result of a request that was answered, of a job that ended, or of a copy whose lost file is back. */
export async function keepPaidResult(tx: Tx, charge: ChargeLine, effect: RowEffect): Promise<void> {
  const besides = 'outcome' in effect ? { extraFiles: effect.extraFiles ?? [], text: effect.text ?? null } : {};
  const own = { jobId: charge.job_id, credits: charge.charged };
  const { jobId, credits } = (charge.state === 'cached' ? toCharge(charge).source : null) ?? own;
  await keepResult(tx, charge, { ...besides, jobId, credits });
}
