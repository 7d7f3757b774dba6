import { hasResult, type AttemptState } from '../../contract/outcomes.ts';
import { planRedrive, type RedriveAttempt, type RedriveRow } from '../redrive/redrive.ts';

/**
 * What asking for a single job again does. Its batch has one row.
 *
 * The same command again must never pay twice by accident, and should otherwise do what a person expects: go on with
 * what runs, hand out what is finished, and try again what has failed. So a job that failed is tried again by itself
 * only if no request for it can have been charged. If one was, another charge takes a word: `--again` for a new take,
 * `--resubmit` where the answer to a request was lost.
 */

/** An attempt of a single job. */
export interface JobAttempt extends RedriveAttempt {
  readonly state: AttemptState;
  /** Credits; null: not known, or nothing to charge. */
  readonly charged: number | null;
}

/** What a person said besides the job itself. */
export interface AgainWish {
  /** A new take is wanted, at a new price. */
  readonly again: boolean;
  /** Send again what may have been charged. */
  readonly resubmit: boolean;
}

export type SameAgain =
  /** It has its result. */
  | { readonly type: 'give' }
  /** It has not ended. */
  | { readonly type: 'go-on' }
  /** It is run again, or its paid job is waited for again, free. */
  | { readonly type: 'redrive' }
  /** Only a further word lets it run again. `running`: a job of it may still run. */
  | { readonly type: 'hold'; readonly why: 'failed' | 'unfit' | 'unknown' | 'running' };

/** Decides. `isOpen`: its batch is not closed. */
export function decideAgain(
  row: RedriveRow,
  attempts: readonly JobAttempt[],
  { again, resubmit }: AgainWish,
  isOpen: boolean,
): SameAgain {
  if (row.outcome === null) return { type: 'go-on' };
  const isWell = hasResult(row.outcome);
  if (isWell && !again) return isOpen ? { type: 'go-on' } : { type: 'give' };
  const plan = planRedrive(row, attempts, { step: null, resubmit, replace: again, accept: false, edited: null });
  switch (plan.type) {
    case 'refuse':
      // A request on the wire belongs to a worker that has not reported yet; the batch is still its own.
      if (plan.why === 'on-the-wire') return { type: 'go-on' };
      return { type: 'hold', why: plan.why === 'running' ? 'running' : 'unknown' };
    case 'pay':
      if (again || plan.reason === 'resubmitted' || !attempts.some(mayCost)) return { type: 'redrive' };
      return { type: 'hold', why: row.outcome === 'unfit' ? 'unfit' : 'failed' };
    default:
      if (isLackingPaidPart(row, attempts) && !again)
        return { type: 'hold', why: row.failure?.class === 'Unfit' ? 'unfit' : 'failed' };
      return { type: 'redrive' };
  }
}

/** Whether a row in parts failed for a part that was charged, so that its redrive pays for that part once more. */
function isLackingPaidPart({ outcome, failure, parts = null }: RedriveRow, attempts: readonly JobAttempt[]): boolean {
  if (parts === null || outcome !== 'failed' || failure === null) return false;
  if (['NotJoined', 'ResultGone'].includes(failure.class)) return false;
  return attempts.some((one) => one.failure !== null && mayCost(one));
}

/**
 * The same for a job whose batch can never run again, because what it asked for was removed. `redrive`: it becomes another
 * batch, and is paid for there.
 */
export function decideCleaned(row: RedriveRow, attempts: readonly JobAttempt[], wish: AgainWish): SameAgain {
  const decided = decideAgain(row, attempts, wish, false);
  if (decided.type !== 'redrive' || wish.again || !attempts.some(mayCost)) return decided;
  // A job that was paid for, and could have been waited for again.
  return { type: 'hold', why: 'failed' };
}

/** States of attempts for which nothing was, or will be, charged. */
const FREE: readonly AttemptState[] = ['not-accepted', 'rejected', 'revoked', 'cached'];

function mayCost({ state, charged }: JobAttempt): boolean {
  return !FREE.includes(state) && charged !== 0;
}
