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

/**
 * What a verdict, or the end of a job, means for its row. A row is open until it has an outcome. After that only three
 * things change it: a late answer for a row given up as unknown, a late result for one that was overdue, and a person's
 * redrive.
 */

/** The effect of this step's attempt on its row: a failed check does not take away the result it checked. */
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

/** Changes an open row. An ended row stays as it is. */
export async function applyEffect(row: RowInTransaction, effect: RowEffect): Promise<void> {
  if ('retake' in effect) return retake(row, effect);
  if (row.line.outcome !== null) return;
  if ('refusedVoice' in effect) return awaitRefused(row, effect);
  if (!('outcome' in effect)) {
    const { state, trouble } = effect;
    // Its trouble stays until it is declared over.
    return row.change({ state, updated_at: row.tx.now(), ...(trouble === undefined ? {} : { failure: trouble }) });
  }
  const best = bestOf(row, effect);
  await row.change(endingColumns(best, row.tx.now()));
  await haltIfDue(row.tx, row.line.batch, row.line.row, best);
  await haltIfSplitRowIsDue(row.tx, row.line);
}

/** Makes an automatic new take. The row stays with its lane. */
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
 * Applies a late answer to a row that may have been given up. Such a row ends as the answer says, or reopens with its
 * batch, free for the next claim. A row that ended otherwise stays as it is.
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

/** True for a row that ended, with whatever outcome, only because the answer for this step was missing. */
function wasGivenUp({ kind, outcome, failure }: RowLine, step: Step): boolean {
  if (outcome === 'unknown') return true;
  // The kept ending of a row whose check got no answer.
  if (outcome === 'unfit') return checkedStepOf(kind, step) !== undefined;
  return outcome === 'failed' && toFailure(failure)?.class === 'OutcomeUnknown';
}

/**
 * Applies the end of a job to an open row, and, if it brings an ending, also to a row that nobody waited for any more.
 * `late` lists the outcomes of such rows.
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

/** Only a person makes a new take of a row that has ended. */
export function withoutRetake(effect: RowEffect): Exclude<RowEffect, Retake> {
  return 'retake' in effect ? effect.otherwise : effect;
}

/** The row's real ending: an earlier take may have left a better one. */
function bestOf({ line }: RowInTransaction, ending: RowEnding): RowEnding {
  return bestEnding(ending, toFallback(line.fallback));
}
