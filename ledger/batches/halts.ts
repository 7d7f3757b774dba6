import type { Failure } from '../../contract/failures.ts';
import { formatHalt } from '../../contract/halt.ts';
import { OUTCOME_FACTS, outcomesThat, type Outcome } from '../../contract/outcomes.ts';
import { resultStepOf, type Step } from '../../contract/row-kinds.ts';
import { shouldHalt, type Ended } from '../../policy/lanes/halt.ts';
import { isProcessEnd } from '../../policy/reconcile/process-end.ts';
import { pauseIfAlike } from './alike.ts';
import { countProcessEnds, countRecent, counts } from './counts.ts';
import type { RowEnding } from '../rows/row-effects.ts';
import { toFailure, toSettings } from '../records.ts';
import type { RowInHand } from '../rows/row-in-hand.ts';
import type { RowLine, Tx } from '../schema.ts';
import { cancelIdle, endRunning } from './stops.ts';

/** Outcomes that count as failures of the batch. */
const FAILURES = outcomesThat(({ counts }) => counts === 'failure');
/** Outcomes of rows that were tried; the others say nothing about how the batch is doing. */
const TRIED = outcomesThat(({ counts }) => counts !== 'nothing');

/**
 * Ends the batch early if its `--halt` says so. Checked in the transaction that ends a row, so no request follows the
 * failure that was one too many.
 */
export async function haltIfDue(tx: Tx, name: string, row: number, { outcome, failure }: RowEnding): Promise<void> {
  const { counts } = OUTCOME_FACTS[outcome];
  if (counts !== 'failure' && counts !== 'late') return;
  if (failure !== undefined && isProcessEnd(failure)) return;
  const batch = await tx
    .selectFrom('batches')
    .select(['settings', 'state', 'control'])
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  const { halt } = toSettings(batch.settings);
  if (halt.when === 'never' || batch.state !== 'open' || batch.control === 'stopping') return;
  if (halt.when === 'alike') {
    if (failure !== undefined) await pauseIfAlike(tx, name, { row, failure });
    return;
  }
  if (counts !== 'failure') return;
  const all = await countEnded(tx, name);
  // Leaving failures out makes no halt due that was not, so this is asked only where one would be.
  const lost = shouldHalt(halt, all) ? await countProcessEnds(tx, name) : 0;
  const ended = { failed: all.failed - lost, tried: all.tried - lost };
  if (!shouldHalt(halt, ended)) return;
  const share = halt.unit === 'rows' ? `${ended.failed}` : `${ended.failed} of ${ended.tried}`;
  const words = `${share} ${share === '1' ? 'row' : 'rows'} failed, the threshold of --halt ${formatHalt(halt)}`;
  await tx
    .updateTable('batches')
    .set({ control: 'stopping', halted: words, stop_now: halt.when === 'now' ? 1 : 0 })
    .where('name', '=', name)
    .execute();
  await cancelIdle(tx, name);
  if (halt.when === 'now') await endRunning(tx, name);
}

/**
 * The same for the row of a part that has ended: it may have ended with this part, because another one failed. Failures
 * that are alike are those of parts.
 */
export async function haltIfWholeIsDue(tx: Tx, { batch, part_of: row }: RowLine): Promise<void> {
  if (row === null) return;
  const { outcome } = await tx
    .selectFrom('rows')
    .select('outcome')
    .where('batch', '=', batch)
    .where('row', '=', row)
    .executeTakeFirstOrThrow();
  if (outcome !== null) await haltIfDue(tx, batch, row, { outcome });
}

/**
 * Pauses the batch if its `--halt` says so and the results of the first rows cannot be fetched, although these rows may
 * still run for hours. A single failure usually passes with a fresh link; a second one of the row counts, however it is
 * worded. Checked before the failure is recorded.
 */
export async function haltAtTrouble({ tx, line }: RowInHand, step: Step, failure: Failure): Promise<void> {
  const before = toFailure(line.failure);
  const isAgain = line.outcome === null && before?.class === failure.class;
  if (!isAgain) return;
  const batch = await tx
    .selectFrom('batches')
    .select(['settings', 'state'])
    .where('name', '=', line.batch)
    .executeTakeFirstOrThrow();
  if (batch.state !== 'open' || toSettings(batch.settings).halt.when !== 'alike') return;
  const isLast = resultStepOf(line) === step;
  await pauseIfAlike(tx, line.batch, { row: line.row, failure, ...(isLast ? {} : { step }) });
}

/** What has ended since the batch was last opened again, rows of {@link countProcessEnds} included, and what runs. */
async function countEnded(tx: Tx, batch: string): Promise<Ended> {
  const recent = await countRecent(tx, batch);
  const count = (wanted: readonly Outcome[]): number => wanted.reduce((sum, name) => sum + (recent.get(name) ?? 0), 0);
  const { processing, fetching, verifying } = (await counts(tx, batch)).states;
  return { failed: count(FAILURES), tried: count(TRIED) + processing + fetching + verifying };
}
