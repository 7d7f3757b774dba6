import type { Failure } from '../../contract/failures.ts';
import type { Control, UnknownPolicy } from '../../contract/outcomes.ts';
import type { Step } from '../../contract/row-kinds.ts';

/**
 * When a row automatically gets a new take, at a new price. Two cases do this, and both are off by default:
 * `--on-unknown resubmit`, after a permanently lost answer, and `--retakes N`, after a failed job or a result that did
 * not pass (`after-result.ts`).
 *
 * Neither applies to a batch that is stopping: the new take would only be cancelled, and the row's real ending lost.
 */

/** How a row ends. */
export interface Ending {
  readonly outcome: 'unknown' | 'failed';
  readonly failure: Failure;
}

/**
 * A new take, from step `retake` on, unless the row has had `most` automatic takes since a person last decided; then
 * the row ends as `otherwise` says. The ledger counts them.
 */
export interface NewTake<Reason extends 'retake' | 'on-unknown', Otherwise = Ending> {
  readonly retake: Step;
  readonly reason: Reason;
  readonly most: number;
  readonly otherwise: Otherwise;
}

/** What the user allows. `retakes`: max automatic retakes per row. */
export interface RetakeRules {
  readonly retakes: number;
  readonly control: Control;
}

/** Returns a new take of this step if the user has agreed to pay for retakes, else the ending `otherwise`. */
export function orRetake<Otherwise>(
  step: Step,
  otherwise: Otherwise,
  { retakes, control }: RetakeRules,
): Otherwise | NewTake<'retake', Otherwise> {
  if (retakes === 0 || control === 'stopping') return otherwise;
  return { retake: step, reason: 'retake', most: retakes, otherwise };
}

/** Max new takes of a row by `--on-unknown resubmit`: each may be one more charge for nothing. */
const MAX_RESUBMITS = 2;

/**
 * Decides how a row continues after the answer of an attempt is lost for good (`--on-unknown`). An attempt with a job
 * id is always held, because its job can still be read.
 */
export function afterUnknown(
  policy: UnknownPolicy,
  control: Control,
  step: Step,
  attempt: { readonly jobId: string | null },
  failure: Failure,
): Ending | NewTake<'on-unknown'> {
  const held: Ending = { outcome: 'unknown', failure };
  if (attempt.jobId !== null) return held;
  switch (policy) {
    case 'hold':
      return held;
    case 'fail':
      return { outcome: 'failed', failure };
    case 'resubmit':
      if (control === 'stopping') return held;
      return { retake: step, reason: 'on-unknown', most: MAX_RESUBMITS, otherwise: held };
  }
}

/** Decides how a row continues after a failed job. `retakes`: max new takes that the user has agreed to pay for. */
export function afterJobFailed(
  retakes: number,
  control: Control,
  step: Step,
  failure: Failure,
): Ending | NewTake<'retake'> {
  return orRetake<Ending>(step, { outcome: 'failed', failure }, { retakes, control });
}
