import { readBatchLine } from './read-batches.ts';
import { setBatch } from './set-batch.ts';
import { ofRow } from '../conditions.ts';
import type { Failure } from '../../contract/failures.ts';
import { byItself } from '../../contract/actions.ts';
import { formatHalt } from '../../contract/halt.ts';
import { OUTCOME_FACTS, outcomesThat, type Outcome, ACCEPTED_STATES } from '../../contract/outcomes.ts';
import { resultStepOf, type Step } from '../../contract/row-kinds.ts';
import { shouldHalt, type Ended, afterFailure, newAlikeWatch, type AlikeWatch } from '../../policy/lanes/halt.ts';
import { isProcessEnd } from '../../policy/reconcile/process-end.ts';
import { countProcessEnds, countRecent, counts } from './counts.ts';
import type { RowEnding } from '../rows/row-effects.ts';
import { toFailure } from '../records.ts';
import { toSettings, toBatch } from './batch-records.ts';
import type { RowInTransaction } from '../rows/row-in-transaction.ts';
import type { RowLine, Tx } from '../schema.ts';
import { noteAction } from '../history/actions.ts';
import { cancelFirst } from './stops.ts';
import { reasonOf } from '../../policy/rows/group-reasons.ts';
import { addPauseNotices } from '../notices/notices.ts';

/*
 * `--halt`: stops a batch at a number or share of failed rows, or pauses it once its first paid rows have all failed
 * alike; for the latter, the batch has a *watch*, which lists those rows until one has a result. Checked in the
 * transaction that ends a row, so no request follows the failure that reaches the threshold.
 */

/** Outcomes that count as failures of the batch. */
const FAILURES = outcomesThat(({ counts }) => counts === 'failure');
/** Outcomes of rows that were tried; other outcomes say nothing about how the batch is doing. */
const TRIED = outcomesThat(({ counts }) => counts !== 'nothing');

/** Stops or pauses the batch `name` if its `--halt` requires that after this ending of a row. */
export async function haltIfDue(tx: Tx, name: string, row: number, { outcome, failure }: RowEnding): Promise<void> {
  const { counts } = OUTCOME_FACTS[outcome];
  if (counts !== 'failure' && counts !== 'late') return;
  // An answer that was lost because a process of ours ended says nothing about the API or the manifest.
  if (failure !== undefined && isProcessEnd(failure)) return;
  const batch = await readBatchLine(tx, name);
  const { halt } = toSettings(batch.settings);
  if (halt.when === 'never' || batch.state !== 'open' || batch.control === 'stopping') return;
  if (halt.when === 'alike') {
    if (failure !== undefined) await pauseIfAlike(tx, name, { row, failure });
    return;
  }
  if (counts !== 'failure') return;
  const all = await countEnded(tx, name);
  // Excluding failures can only prevent a halt, so count them only if one is due.
  const lost = shouldHalt(halt, all) ? await countProcessEnds(tx, name) : 0;
  const ended = { failed: all.failed - lost, tried: all.tried - lost };
  if (!shouldHalt(halt, ended)) return;
  const share = halt.unit === 'rows' ? `${ended.failed}` : `${ended.failed} of ${ended.tried}`;
  const words = `${share} ${share === '1' ? 'row' : 'rows'} failed, the threshold of --halt ${formatHalt(halt)}`;
  await setBatch(tx, name, { control: 'stopping', halted: words, stop_now: halt.when === 'now' ? 1 : 0 });
  const details = halt.when === 'now' ? { isNow: true as const } : {};
  await noteAction(tx, byItself(words), { kind: 'stop', batch: name, details });
  await cancelFirst(tx, name, halt.when === 'now');
}

/**
 * Does the same for the split row of a part that has ended, because the split row may have ended with it. For `alike`,
 * its parts count instead.
 */
export async function haltIfSplitRowIsDue(tx: Tx, { batch, part_of: row }: RowLine): Promise<void> {
  if (row === null) return;
  const { outcome } = await tx
    .selectFrom('rows')
    .select('outcome')
    .where(ofRow({ batch, row }))
    .executeTakeFirstOrThrow();
  if (outcome !== null) await haltIfDue(tx, batch, row, { outcome });
}

/**
 * Pauses the batch if `--halt` requires it because the results of its first rows cannot be fetched, even though these
 * rows may stay open for hours. A first failure usually passes with a fresh link; a row's second failure of the same
 * class counts. To be called before the failure is recorded.
 */
export async function haltAtTrouble({ tx, line }: RowInTransaction, step: Step, failure: Failure): Promise<void> {
  const before = toFailure(line.failure);
  const isAgain = line.outcome === null && before?.class === failure.class;
  if (!isAgain) return;
  const batch = await readBatchLine(tx, line.batch);
  if (batch.state !== 'open' || toSettings(batch.settings).halt.when !== 'alike') return;
  const isLast = resultStepOf(line) === step;
  await pauseIfAlike(tx, line.batch, { row: line.row, failure, ...(isLast ? {} : { step }) });
}

/**
 * Counts the rows that ended since the batch was last reopened (including those of {@link countProcessEnds}) and the
 * running ones.
 */
async function countEnded(tx: Tx, batch: string): Promise<Ended> {
  const recent = await countRecent(tx, batch);
  const count = (wanted: readonly Outcome[]): number => wanted.reduce((sum, name) => sum + (recent.get(name) ?? 0), 0);
  const { processing, fetching, verifying } = (await counts(tx, batch)).states;
  return { failed: count(FAILURES), tried: count(TRIED) + processing + fetching + verifying };
}

/** A paid row that has failed, or fails now. */
export interface BadRow {
  readonly row: number;
  readonly failure: Failure;
  /** The step that failed, if it is not the row's last one: then results of this step count as successes, too. */
  readonly step?: Step;
}

/**
 * Pauses a batch whose first paid rows have all failed with the same failure class, if any remaining row still costs
 * money. Runs in the transaction that records the failure, so it holds across all processes. Does no work once a row
 * has a result.
 */
async function pauseIfAlike(tx: Tx, batch: string, bad: BadRow): Promise<void> {
  const { row, failure } = bad;
  const line = await readBatchLine(tx, batch);
  const before = toWatch(line.watch);
  if (before.is !== 'on' || line.control !== 'running' || !(await isPaid(tx, batch, row, before.since))) return;
  const watch = afterFailure(before, { row, reason: failure.class }, await hasResult(tx, batch, bad, before.since));
  if (watch === before) return;
  const isDue = watch.is === 'due' && (await costsMore(tx, batch));
  const reason: Failure = { ...failure, message: messageOf(watch, failure) };
  await setBatch(tx, batch, {
    watch: JSON.stringify(watch),
    ...(isDue ? { control: 'paused', pause_reason: JSON.stringify(reason) } : {}),
  });
  if (!isDue) return;
  await noteAction(tx, byItself(reason.message), { kind: 'pause', batch });
  await addPauseNotices(tx, toBatch(line), reason);
}

/**
 * Returns a new watch on the first rows, as JSON, for a batch that a person resumes. Rows paid for before `since` (ms)
 * do not count: they say nothing about what the person changed, and pausing again would save nothing on them.
 */
export function watchFrom(since: number): string {
  return JSON.stringify(newAlikeWatch(since));
}

function toWatch(json: string | null): AlikeWatch {
  return json === null ? newAlikeWatch(null) : (JSON.parse(json) as AlikeWatch);
}

/** The reason of a pause. Omits the cost: requests in flight are still being charged, so it would soon be too low. */
function messageOf({ rows }: AlikeWatch, failure: Failure): string {
  return `the first ${rows.length} paid rows all failed (${failure.class}), the last one because: ${reasonOf(failure)}`;
}

/** Whether the row was paid for after `since`. */
async function isPaid(tx: Tx, batch: string, row: number, since: number | null): Promise<boolean> {
  const found = await tx
    .selectFrom('charges')
    .select('row')
    .where(ofRow({ batch, row }))
    .where('intent_at', '>=', since ?? 0)
    .where('state', 'in', [...ACCEPTED_STATES, 'unknown'])
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Whether any row paid for after `since` has a result. */
async function hasResult(tx: Tx, batch: string, { step }: BadRow, since: number | null): Promise<boolean> {
  let query = tx.selectFrom('rows').select('row').where('batch', '=', batch).where('outcome', '=', 'succeeded');
  if (since !== null) {
    query = query
      .where('ended_at', '>=', since)
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('charges')
            .select('charges.row')
            .whereRef('charges.batch', '=', 'rows.batch')
            .whereRef('charges.row', '=', 'rows.row')
            .where('charges.intent_at', '>=', since),
        ),
      );
  }
  if ((await query.limit(1).executeTakeFirst()) !== undefined) return true;
  if (step === undefined) return false;
  const stored = await tx
    .selectFrom('charges')
    .select('row')
    .where('batch', '=', batch)
    .where('state', '=', 'accepted')
    .where('step', '=', step)
    .where('file', 'is not', null)
    .where('intent_at', '>=', since ?? 0)
    .limit(1)
    .executeTakeFirst();
  return stored !== undefined;
}

/** Whether any row still has a step to pay for. */
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
