import { formatHalt } from '../contract/halt.ts';
import type { Outcome } from '../contract/outcomes.ts';
import { shouldHalt, type Ended } from '../workflows/policy/halt.ts';
import { toSettings } from './records.ts';
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
export async function haltIfDue(tx: Tx, name: string, outcome: Outcome): Promise<void> {
  if (!FAILURES.includes(outcome)) return;
  const batch = await tx
    .selectFrom('batches')
    .select(['settings', 'state', 'control', 'reopened_at'])
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  const { halt } = toSettings(batch.settings);
  if (halt.when === 'never' || batch.state !== 'open' || batch.control === 'stopping') return;
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
