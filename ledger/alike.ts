import type { Failure } from '../contract/failures.ts';
import type { Step } from '../contract/row-kinds.ts';
import { ACCEPTED_STATES, RESULT_OUTCOMES } from '../contract/outcomes.ts';
import { afterFailure, newWatch, type AlikeWatch } from '../policy/alike.ts';
import { reasonOf } from '../policy/failure-reason.ts';
import type { Tx } from './schema.ts';

/** A row that was paid for and came, or is about to come, to nothing. */
export interface BadRow {
  readonly row: number;
  readonly failure: Failure;
  /** A step that is not the last of its row, whose result could not be fetched: results of this step count, too. */
  readonly step?: Step;
}

/**
 * Pauses a batch whose first paid rows have all come to nothing, with one class of failure, if a row is left that still costs money. Called in the
 * transaction that notes the failure, so that it holds over all processes; costs nothing any more once a row had a result.
 */
export async function pauseIfAlike(tx: Tx, batch: string, bad: BadRow): Promise<void> {
  const { row, failure } = bad;
  const line = await tx
    .selectFrom('batches')
    .select(['watch', 'control'])
    .where('name', '=', batch)
    .executeTakeFirstOrThrow();
  const before = toWatch(line.watch);
  if (before.is !== 'on' || line.control !== 'running' || !(await isPaid(tx, batch, row))) return;
  const watch = afterFailure(before, { row, reason: failure.class }, await hasResult(tx, batch, bad, before.since));
  if (watch === before) return;
  const isDue = watch.is === 'due' && (await costsMore(tx, batch));
  const reason: Failure = { ...failure, message: wordsOf(watch, failure) };
  await tx
    .updateTable('batches')
    .set({
      watch: JSON.stringify(watch),
      ...(isDue ? { control: 'paused', pause_reason: JSON.stringify(reason) } : {}),
    })
    .where('name', '=', batch)
    .execute();
}

/** The watch begins anew where a person lets the batch go on. */
export function watchFrom(since: number): string {
  return JSON.stringify(newWatch(since));
}

function toWatch(json: string | null): AlikeWatch {
  return json === null ? newWatch(null) : (JSON.parse(json) as AlikeWatch);
}

/** Without the money: what is in flight is still paid for, so a figure that is kept would soon be too low. */
function wordsOf({ rows }: AlikeWatch, failure: Failure): string {
  return `the first ${rows.length} paid rows all failed (${failure.class}), the last one because: ${reasonOf(failure)}`;
}

async function isPaid(tx: Tx, batch: string, row: number): Promise<boolean> {
  const found = await tx
    .selectFrom('charges')
    .select('row')
    .where('batch', '=', batch)
    .where('row', '=', row)
    .where('state', 'in', [...ACCEPTED_STATES, 'unknown'])
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

async function hasResult(tx: Tx, batch: string, { step }: BadRow, since: number | null): Promise<boolean> {
  let query = tx.selectFrom('rows').select('row').where('batch', '=', batch).where('outcome', 'in', RESULT_OUTCOMES);
  if (since !== null) query = query.where('ended_at', '>=', since);
  if ((await query.limit(1).executeTakeFirst()) !== undefined) return true;
  if (step === undefined) return false;
  const stored = await tx
    .selectFrom('charges')
    .select('row')
    .where('batch', '=', batch)
    .where('state', '=', 'accepted')
    .where('step', '=', step)
    .where('file', 'is not', null)
    .where('finished_at', '>=', since ?? 0)
    .limit(1)
    .executeTakeFirst();
  return stored !== undefined;
}

/** Whether a row is left whose next step is still to be paid. */
async function costsMore(tx: Tx, batch: string): Promise<boolean> {
  const found = await tx
    .selectFrom('rows')
    .select('row')
    .where('batch', '=', batch)
    .where('outcome', 'is', null)
    .where('state', '=', 'waiting')
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
