import { hasResult, mayBeCharged, type AttemptState } from '../../contract/outcomes.ts';
import { planRedrive, type RedriveAttempt, type RedriveRow } from '../redrive/redrive.ts';

/**
 * Decides the effect of requesting the same single job again. Its batch has one row.
 *
 * Repeating a command must never pay twice by accident, and should otherwise do what a person expects: continue a
 * running job, return a finished result, and retry a failed job. So a failed job is retried automatically only if no
 * request for it can have been charged. Otherwise, another charge needs an explicit flag: `--again` for a new take,
 * `--resubmit` if the answer to a request was lost.
 */

/** An attempt of a single job. */
export interface JobAttempt extends RedriveAttempt {
  readonly state: AttemptState;
  /** Credits; null if unknown, or if there is nothing to charge. */
  readonly charged: number | null;
}

/** Flags of the repeated command. */
export interface RepeatOptions {
  /** `--again`: make a new take, at a new price. */
  readonly again: boolean;
  /** `--resubmit`: send again what may have been charged. */
  readonly resubmit: boolean;
}

/** What a repeated command does. */
export type SameAgain =
  /** Return the existing result. */
  | { readonly type: 'give' }
  /** Continue the running job. */
  | { readonly type: 'go-on' }
  /** Redrive: pay for the job again, or wait for its paid job again, free. */
  | { readonly type: 'redrive' }
  /** Refuse without an explicit flag. `running`: a job of it may still run. */
  | { readonly type: 'hold'; readonly why: 'failed' | 'unfit' | 'unknown' | 'running' };

/** Decides what the repeated command does. `isOpen`: the batch of the job is not closed. */
export function decideAgain(
  row: RedriveRow,
  attempts: readonly JobAttempt[],
  { again, resubmit }: RepeatOptions,
  isOpen: boolean,
): SameAgain {
  if (row.outcome === null) return { type: 'go-on' };
  const hasOwnResult = hasResult(row.outcome);
  if (hasOwnResult && !again) return isOpen ? { type: 'go-on' } : { type: 'give' };
  const plan = planRedrive(row, attempts, { step: null, resubmit, replace: again, accept: false, edited: null });
  switch (plan.type) {
    case 'refuse':
      // A request in flight belongs to a worker that has not reported yet and still holds the batch.
      if (plan.why === 'on-the-wire') return { type: 'go-on' };
      return { type: 'hold', why: plan.why === 'running' ? 'running' : 'unknown' };
    case 'pay':
      if (again || plan.reason === 'resubmitted' || !attempts.some(mayCost)) return { type: 'redrive' };
      return { type: 'hold', why: row.outcome === 'unfit' ? 'unfit' : 'failed' };
    default:
      if (hasFailedPaidPart(row, attempts) && !again)
        return { type: 'hold', why: row.failure?.class === 'Unfit' ? 'unfit' : 'failed' };
      return { type: 'redrive' };
  }
}

/** Whether a row in parts failed because of a charged part, so that a redrive would pay for that part again. */
function hasFailedPaidPart({ outcome, failure, parts = null }: RedriveRow, attempts: readonly JobAttempt[]): boolean {
  if (parts === null || outcome !== 'failed' || failure === null) return false;
  if (['NotJoined', 'ResultGone'].includes(failure.class)) return false;
  return attempts.some((one) => one.failure !== null && mayCost(one));
}

/**
 * Like {@link decideAgain}, for a job whose inputs `voxbatch clean` removed, so that its batch can never run again.
 * `redrive` then means that the job becomes another batch, and is paid for there.
 */
export function decideCleaned(row: RedriveRow, attempts: readonly JobAttempt[], options: RepeatOptions): SameAgain {
  const decided = decideAgain(row, attempts, options, false);
  if (decided.type !== 'redrive' || options.again || !attempts.some(mayCost)) return decided;
  // A redrive of the batch might have waited for its paid job, free; another batch would pay again.
  return { type: 'hold', why: 'failed' };
}

function mayCost({ state, charged }: JobAttempt): boolean {
  return mayBeCharged(state) && charged !== 0;
}
