import { formatHalt } from '../contract/halt.ts';
import type { Outcome } from '../contract/outcomes.ts';
import { shouldHalt, type Ended } from '../workflows/policy/halt.ts';
import { toSettings } from './records.ts';
import type { Tx } from './schema.ts';
import { cancelIdle, endRunning } from './stops.ts';

/** Outcomes that count as failures of the batch. */
const FAILURES: readonly Outcome[] = ['failed', 'rejected', 'unknown'];
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
  const ended = await countEnded(tx, name, batch.reopened_at ?? 0);
  if (!shouldHalt(halt, ended)) return;
  const words = `${ended.failed} of ${ended.tried} rows failed, and --halt ${formatHalt(halt)} says that is enough`;
  await tx
    .updateTable('batches')
    .set({ control: 'stopping', halted: words, stop_now: halt.when === 'now' ? 1 : 0 })
    .where('name', '=', name)
    .execute();
  await cancelIdle(tx, name);
  if (halt.when === 'now') await endRunning(tx, name);
}

/** What ended since the batch was last opened again. */
async function countEnded(tx: Tx, batch: string, since: number): Promise<Ended> {
  const lines = await tx
    .selectFrom('rows')
    .select((eb) => ['outcome', eb.fn.countAll<number>().as('n')])
    .where('batch', '=', batch)
    .where('outcome', 'in', TRIED)
    .where('ended_at', '>=', since)
    .groupBy('outcome')
    .execute();
  const count = (outcomes: readonly Outcome[]): number =>
    lines.reduce((sum, line) => sum + (line.outcome !== null && outcomes.includes(line.outcome) ? line.n : 0), 0);
  return { failed: count(FAILURES), tried: count(TRIED) };
}
