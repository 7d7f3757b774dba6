import { readBatchLine } from '../batches/read-batches.ts';
import { reopenClosed } from '../batches/reopen-closed.ts';
import type { Outcome } from '../../contract/outcomes.ts';
import { checkedStepOf, type Step } from '../../contract/row-kinds.ts';
import { haltIfDue, haltIfSplitRowIsDue } from '../batches/halts.ts';
import { awaitRefused } from '../voices/refused-voices.ts';
import { type Retake, type RowEffect, type RowEnding, toFallback } from './row-effects.ts';
import { keepCheckedResult } from '../../policy/verification/after-check.ts';
import { bestEnding, betterFallback } from '../../policy/rows/best-take.ts';
import { toFailure, type ResultFile } from '../records.ts';
import type { RowInTransaction } from './row-in-transaction.ts';
import type { RowLine } from '../schema.ts';
import { endingColumns } from './update-row.ts';
import { makeTake } from '../takes/takes.ts';

/*
 * Applies verdicts and ends of jobs to rows. A row is open until it has an outcome. After that only three things change
 * it: a late answer for a row that was given up as `unknown`, a late result for an `overdue` row, and a person's
 * redrive.
 */

/**
 * Returns the effect that an attempt of this step has on its row: `effect`, except that a failed check does not take
 * away the result that it checked.
 */
export function effectOf<Effect extends RowEffect>(
  row: RowInTransaction,
  step: Step,
  effect: Effect,
): Effect | RowEnding {
  if (checkedStepOf(row.line.kind, step) === undefined) return effect;
  if ('retake' in effect) return { ...effect, otherwise: effectOf(row, step, effect.otherwise) };
  const checked = { ...row.spec, acceptedTake: row.line.accepted_take };
  return keepCheckedResult<ResultFile, Effect>(checked, step, row.attempts, effect);
}

/** Applies an effect to an open row. An ended row stays as it is. */
export async function applyEffect(row: RowInTransaction, effect: RowEffect): Promise<void> {
  if ('retake' in effect) return retake(row, effect);
  if (row.line.outcome !== null) return;
  if ('refusedVoice' in effect) return awaitRefused(row, effect);
  if (!('outcome' in effect)) {
    const { state, trouble } = effect;
    // Without `trouble`, the row's earlier trouble stays on record.
    return row.change({ state, updated_at: row.tx.now(), ...(trouble === undefined ? {} : { failure: trouble }) });
  }
  const best = bestOf(row, effect);
  await row.change(endingColumns(best, row.tx.now()));
  await haltIfDue(row.tx, row.line.batch, row.line.row, best);
  await haltIfSplitRowIsDue(row.tx, row.line);
}

/** Makes an automatic new take; or ends the row if it has had enough of them, or its batch is being stopped. */
async function retake(row: RowInTransaction, effect: Retake): Promise<void> {
  const { line, tx } = row;
  if (line.outcome !== null) return;
  const { control } = await readBatchLine(tx, line.batch);
  // A stopping batch would only cancel the new take and lose the row's real ending.
  if (control === 'stopping' || line.auto_takes >= effect.most) return applyEffect(row, effect.otherwise);
  const { file = null, failure = null } = effect.otherwise;
  const fallback = betterFallback(effect.otherwise, toFallback(line.fallback));
  const before = { outcome: null, failure, file, extraFiles: [] };
  await makeTake(row, { reason: effect.reason, fromStep: effect.retake, before, fallback });
  await row.change({ auto_takes: line.auto_takes + 1 });
}

/**
 * Applies a late answer of this step. A row that was given up because the answer was missing ends as the answer says,
 * or reopens with its batch, free for the next claim. A row that ended otherwise stays as it is.
 */
export async function applyLateEffect(row: RowInTransaction, late: RowEffect, step: Step): Promise<void> {
  if (!wasGivenUp(row.line, step)) return applyEffect(row, late);
  const effect = withoutRetake(late);
  const hold = row.line.hold + 1;
  if ('outcome' in effect) return row.change({ ...endingColumns(bestOf(row, effect), row.tx.now()), hold });
  const state = 'state' in effect ? effect.state : 'blocked';
  const open = { state, outcome: null, failure: null, file: null, lane: null, ended_at: null };
  await row.change({ ...open, updated_at: row.tx.now(), hold });
  if ('refusedVoice' in effect) await awaitRefused(row, effect);
  await reopenClosed(row.tx, row.line.batch);
}

/** Whether the row ended, with whatever outcome, only because the answer for this step was missing. */
function wasGivenUp({ kind, outcome, failure }: RowLine, step: Step): boolean {
  if (outcome === 'unknown') return true;
  // A row whose check got no answer ends `unfit`.
  if (outcome === 'unfit') return checkedStepOf(kind, step) !== undefined;
  return outcome === 'failed' && toFailure(failure)?.class === 'OutcomeUnknown';
}

/**
 * Applies the end of a job to an open row; and if it ends the row, also to a row that ended without waiting for the
 * job. `late`: the outcomes of such rows.
 */
export async function applyJobEnd(
  row: RowInTransaction,
  end: RowEffect,
  late: readonly Outcome[] = ['overdue'],
): Promise<void> {
  if (row.line.outcome === null || !late.includes(row.line.outcome)) return applyEffect(row, end);
  const effect = withoutRetake(end);
  if ('outcome' in effect) await row.change(endingColumns(bestOf(row, effect), row.tx.now()));
}

/** The effect without a retake, for a row that has ended: only a person makes a new take of such a row. */
export function withoutRetake(effect: RowEffect): Exclude<RowEffect, Retake> {
  return 'retake' in effect ? effect.otherwise : effect;
}

/** The better of this ending and the one that an earlier take has left. */
function bestOf({ line }: RowInTransaction, ending: RowEnding): RowEnding {
  return bestEnding(ending, toFallback(line.fallback));
}
