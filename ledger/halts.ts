import type { AttemptKey } from '../contract/batch.ts';
import type { Failure } from '../contract/failures.ts';
import { formatHalt } from '../contract/halt.ts';
import type { Outcome } from '../contract/outcomes.ts';
import { ROW_KINDS } from '../contract/row-kinds.ts';
import { reasonOf } from '../workflows/policy/failure-reason.ts';
import { shouldHalt, type Ended } from '../workflows/policy/halt.ts';
import { pauseIfAlike } from './alike.ts';
import type { RowEnding } from './ledger.ts';
import { toFailure, toSettings } from './records.ts';
import type { Tx } from './schema.ts';
import { cancelIdle, endRunning } from './stops.ts';

/** Outcomes that count as failures of the batch. */
const FAILURES: readonly Outcome[] = ['failed', 'unfit', 'unknown'];
/** Outcomes of rows that were tried; the others say nothing about how the batch goes. */
const TRIED: readonly Outcome[] = [...FAILURES, 'succeeded', 'cached', 'overdue'];

/**
 * Ends the batch early where its `--halt` says so. Asked in the very transaction that ends a row, so that no request follows
 * the failure that was one too many.
 */
export async function haltIfDue(tx: Tx, name: string, row: number, { outcome, failure }: RowEnding): Promise<void> {
  if (!FAILURES.includes(outcome) && outcome !== 'overdue') return;
  const batch = await tx
    .selectFrom('batches')
    .select(['settings', 'state', 'control', 'reopened_at'])
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  const { halt } = toSettings(batch.settings);
  if (halt.when === 'never' || batch.state !== 'open' || batch.control === 'stopping') return;
  if (halt.when === 'alike') {
    if (failure !== undefined) await pauseIfAlike(tx, name, { row, failure });
    return;
  }
  if (!FAILURES.includes(outcome)) return;
  const ended = await countEnded(tx, name, halt.unit === 'rows' ? FAILURES : TRIED, batch.reopened_at);
  if (!shouldHalt(halt, ended)) return;
  const share = halt.unit === 'rows' ? `${ended.failed}` : `${ended.failed} of ${ended.tried}`;
  const words = `${share} ${share === '1' ? 'row' : 'rows'} failed, and --halt ${formatHalt(halt)} says that is enough`;
  await tx
    .updateTable('batches')
    .set({ control: 'stopping', halted: words, stop_now: halt.when === 'now' ? 1 : 0 })
    .where('name', '=', name)
    .execute();
  await cancelIdle(tx, name);
  if (halt.when === 'now') await endRunning(tx, name);
}

/**
 * Pauses the batch where its `--halt` says so and the results of the first rows cannot be fetched, though these rows may still run for
 * hours. A single failure passes, as a rule, with a fresh link; one that comes to the same row again counts. Asked before it is noted.
 */
export async function haltAtTrouble(tx: Tx, key: AttemptKey, failure: Failure): Promise<void> {
  const line = await tx
    .selectFrom('rows')
    .innerJoin('batches', 'batches.name', 'rows.batch')
    .select(['rows.failure', 'rows.outcome', 'rows.kind', 'batches.settings', 'batches.state'])
    .where('rows.batch', '=', key.batch)
    .where('rows.row', '=', key.row)
    .executeTakeFirstOrThrow();
  const before = toFailure(line.failure);
  const isAgain = line.outcome === null && before !== null && reasonOf(before) === reasonOf(failure);
  if (!isAgain || line.state !== 'open' || toSettings(line.settings).halt.when !== 'alike') return;
  const isLast = ROW_KINDS[line.kind].steps.at(-1) === key.step;
  await pauseIfAlike(tx, key.batch, { row: key.row, failure, ...(isLast ? {} : { step: key.step }) });
}

/**
 * What ended since the batch was last opened again. Asked at every failure, so it counts no more than it must: without a reopening
 * the index of outcomes alone answers.
 */
async function countEnded(tx: Tx, batch: string, outcomes: readonly Outcome[], since: number | null): Promise<Ended> {
  let query = tx
    .selectFrom('rows')
    .select((eb) => ['outcome', eb.fn.countAll<number>().as('n')])
    .where('batch', '=', batch)
    .where('outcome', 'in', outcomes);
  if (since !== null) query = query.where('ended_at', '>=', since);
  const lines = await query.groupBy('outcome').execute();
  const count = (wanted: readonly Outcome[]): number =>
    lines.reduce((sum, line) => sum + (line.outcome !== null && wanted.includes(line.outcome) ? line.n : 0), 0);
  return { failed: count(FAILURES), tried: count(TRIED) };
}
