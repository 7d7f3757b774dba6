import type { Failure } from '../../contract/failures.ts';
import { checkedStepOf, type Step, type StepChoice } from '../../contract/row-kinds.ts';
import type { Judgement } from '../../contract/verify.ts';
import type { AfterResult, CheckedFile, UnfitEnding } from '../rows/after-result.ts';
import { orRetake, type RetakeRules } from '../rows/new-take.ts';
import { isLastStep, usedAttempt, type AttemptView } from '../rows/row-machine.ts';

/**
 * What happens to a row after a check (`--verify`). The check is a paid step of its own; the result that it judges
 * belongs to an earlier step, was paid for, and is always kept.
 */

/**
 * Decides how a row continues after a completed check. `step`: the check; `file`: the checked result; `isFree`: nothing
 * of the row was paid for.
 */
export function afterCheck<File extends CheckedFile>(
  row: StepChoice,
  judgement: Judgement,
  {
    step,
    file,
    isFree,
    ...allowed
  }: RetakeRules & { readonly step: Step; readonly file: File; readonly isFree: boolean },
): AfterResult<File> {
  if (judgement.is === 'passed') {
    if (!isLastStep(row, step)) return { effect: { state: 'waiting' } };
    return { effect: { outcome: isFree ? 'cached' : 'succeeded', file } };
  }
  const of = checkedStepOf(row.kind, step) ?? step;
  const failure = failureOf(of, judgement);
  const ending: UnfitEnding<File> = { outcome: 'unfit', failure, file, error: judgement.error };
  return { failure, effect: orRetake(of, ending, allowed) };
}

/** An attempt with its result. */
interface Filed<File extends object> extends AttemptView {
  readonly file: File | null;
}

/** A row whose results are checked. `acceptedTake`: the take whose result a person accepted; null for none. */
interface CheckedRow extends StepChoice {
  readonly acceptedTake: number | null;
}

/** Returns the attempt whose result a check judges: the one that its row uses. Undefined if there is none. */
export function checkedResult<File extends object, A extends Filed<File>>(
  row: CheckedRow,
  step: Step,
  attempts: readonly A[],
): (A & { readonly file: File }) | undefined {
  const of = checkedStepOf(row.kind, step);
  const made = of === undefined ? undefined : usedAttempt(row, attempts, of);
  return made?.file == null ? undefined : { ...made, file: made.file };
}

/**
 * Replaces the ending of a row whose check itself failed (not the checked result): the result was paid for, so the row
 * ends `unfit` and keeps it. If the answer of the check is lost, the message says that only the check is in doubt.
 * Returns the effects of other steps unchanged.
 */
export function keepCheckedResult<File extends object, Effect extends object>(
  row: CheckedRow,
  step: Step,
  attempts: readonly Filed<File>[],
  effect: Effect,
): Effect | UnfitEnding<File> {
  const made = checkedResult<File, Filed<File>>(row, step, attempts);
  if (made === undefined || !('outcome' in effect)) return effect;
  const why = 'failure' in effect ? (effect.failure as Failure) : undefined;
  if (effect.outcome === 'unknown' && why !== undefined)
    return { ...effect, failure: onlyCheckLost(made.step, step, why) };
  if (effect.outcome !== 'failed') return effect;
  const message = `Its ${made.step} is kept, but was not verified: ${why?.message ?? 'the verification failed.'}`;
  const failure: Failure = { ...why, class: 'Unfit', cause: 'not verified', message: message.slice(0, 500) };
  return { outcome: 'unfit', failure, file: made.file };
}

function onlyCheckLost(of: Step, step: Step, why: Failure): Failure {
  const message = `Its ${of} is stored and paid for; only the answer of its ${step} is lost: ${why.message}`;
  return { ...why, message: message.slice(0, 500) };
}

const KEPT = 'It was paid for and is kept.';

function failureOf(step: Step, { is, error, run, words, threshold, language }: Judgement): Failure {
  const unfit = (cause: string, message: string): Failure => ({ class: 'Unfit', cause, message: `${message} ${KEPT}` });
  switch (is) {
    case 'unheard':
      return unfit('nothing was heard', `No word was heard in the ${step}, and ${count(words)} should have been.`);
    case 'other-language': {
      const heard = (language ?? '').slice(0, 40);
      const message = `The API heard another language in the ${step} than was asked for: ${heard}.`;
      return unfit('another language was heard', message);
    }
    default: {
      const wrong = `${percent(error)} of ${count(words)} wrong (at most ${percent(threshold)})`;
      const message = `What was heard in the ${step} is not the text: ${wrong}, ${String(Math.round(run))} in a row.`;
      return unfit('other words were heard', message);
    }
  }
}

function count(words: number): string {
  return words === 1 ? '1 word' : `${String(words)} words`;
}

function percent(share: number): string {
  return `${String(Math.round(share * 100))} %`;
}
