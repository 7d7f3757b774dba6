import type { FailureClass } from '../contract/failures.ts';
import { hasResult, type Outcome, type TakeReason } from '../contract/outcomes.ts';
import { ROW_KINDS, type Kind, type Step } from '../contract/row-kinds.ts';
import { hasRunningJob, lastAttempt, stepsFrom, type AttemptView } from './row-machine.ts';

/**
 * What happens to a row that a person wants again.
 *
 * A row that is paid for again is paid from its first step that is not finished well; what is finished before that is kept.
 * A step that the person names, or whose input was edited, is done anew though it is finished, and so is all after it.
 *
 * Two kinds of rows are not paid again without a say (`--resubmit`), since that may be a second charge for one result: a row
 * whose last request may have been taken, and a row whose job may still run. The second kind need not be paid at all: its
 * job is waited for once more. The same goes for a job that was done and whose result could not be fetched.
 *
 * A result that did not pass a check is paid, too. A person may take it as it is (`--accept`), free; without that word it is paid anew.
 *
 * A row that has its result is left alone, unless the person named it, a step of it, or its outcome.
 */

/** What is looked at in a row. */
export interface RedriveRow {
  readonly kind: Kind;
  /** Null: it has not ended. */
  readonly outcome: Outcome | null;
  readonly failure: { readonly class: FailureClass } | null;
  readonly take: number;
  readonly redoFrom: Step | null;
}

/** What is looked at in an attempt. */
export interface RedriveAttempt extends AttemptView {
  readonly jobId: string | null;
}

/** What a person wants of a row. */
export interface RedriveWish {
  /** Do this step and all after it anew; null: what is not finished. */
  readonly step: Step | null;
  /** Pay also where that may be a second charge. */
  readonly resubmit: boolean;
  /** Replace also a result that is there. */
  readonly replace: boolean;
  /** Take a result that did not pass a check as it is, and pay for no other one. */
  readonly accept: boolean;
  /** Cells of the row were edited; `from`: the first step that reads one of them, null if none does. */
  readonly edited: { readonly from: Step | null } | null;
}

export type RedrivePlan =
  /** A new take, from this step on. */
  | {
      readonly type: 'pay';
      readonly fromStep: Step;
      readonly reason: Extract<TakeReason, 'redrive' | 'edited' | 'resubmitted'>;
    }
  /** Its job of this step is waited for again, free; later steps are paid as usual. */
  | { readonly type: 'wait'; readonly step: Step }
  /** Its unfit result of this step is taken as it is, free; later steps are paid as usual. */
  | { readonly type: 'accept'; readonly step: Step }
  /** Nothing; `open`: it has not ended. `has-result`: it has, and nobody asked for another one. `no-unfit`: there is nothing to accept. */
  | { readonly type: 'leave'; readonly why: 'open' | 'has-result' | 'no-unfit' }
  /**
   * Not without `--resubmit`: the last request for this step may have been taken (`unknown`), or its job may still run
   * (`running`). Not now: `on-the-wire`. Not at all: its kind has no such step (`no-step`).
   */
  | { readonly type: 'refuse'; readonly why: 'unknown' | 'running' | 'on-the-wire' | 'no-step'; readonly step: Step };

export function planRedrive(row: RedriveRow, attempts: readonly RedriveAttempt[], wish: RedriveWish): RedrivePlan {
  const { steps } = ROW_KINDS[row.kind];
  if (wish.step !== null && !steps.includes(wish.step)) return { type: 'refuse', why: 'no-step', step: wish.step };
  if (row.outcome === null) return { type: 'leave', why: 'open' };
  const asked = [wish.step, wish.edited?.from ?? null].filter((step) => step !== null);
  const isWell = hasResult(row.outcome);
  if (isWell && asked.length === 0 && (!wish.replace || wish.accept)) return { type: 'leave', why: 'has-result' };
  if (wish.accept) return planAcceptance(row, attempts);
  const job = asked.length === 0 && !wish.resubmit ? jobToWaitFor(row, attempts) : undefined;
  if (job !== undefined) return { type: 'wait', step: job.step };

  const unfinished = firstToPay(row, attempts);
  const wanted = unfinished === undefined ? asked : [...asked, unfinished];
  // All is finished, and yet the row is wanted again: its result did not please, and nothing tells which step was at fault.
  const fromStep = steps.find((step) => wanted.includes(step)) ?? firstOf(row.kind);
  const unresolved = findUnresolved(row.kind, fromStep, attempts);
  if (unresolved?.why === 'on-the-wire') return { type: 'refuse', ...unresolved };
  if (unresolved !== undefined && !wish.resubmit) return { type: 'refuse', ...unresolved };
  const reason = unresolved !== undefined ? 'resubmitted' : wish.edited === null ? 'redrive' : 'edited';
  return { type: 'pay', fromStep, reason };
}

/** The steps that a plan will pay for. */
export function paidSteps(kind: Kind, plan: RedrivePlan): readonly Step[] {
  switch (plan.type) {
    case 'pay':
      return stepsFrom(kind, plan.fromStep);
    case 'wait':
    case 'accept':
      return stepsFrom(kind, plan.step).slice(1);
    default:
      return [];
  }
}

/** The job that is paid for and can be waited for, or fetched, once more. */
function jobToWaitFor(row: RedriveRow, attempts: readonly RedriveAttempt[]): RedriveAttempt | undefined {
  const isGone = row.outcome === 'failed' && row.failure?.class === 'ResultGone';
  if (row.outcome !== 'overdue' && !isGone) return undefined;
  const last = lastOfTake(row, attempts);
  return last?.state === 'accepted' && last.jobId !== null ? last : undefined;
}

function planAcceptance(row: RedriveRow, attempts: readonly RedriveAttempt[]): RedrivePlan {
  const last = row.outcome === 'unfit' ? lastOfTake(row, attempts) : undefined;
  return last === undefined ? { type: 'leave', why: 'no-unfit' } : { type: 'accept', step: last.step };
}

/** The attempt that the current take came to. */
export function lastOfTake<A extends Pick<AttemptView, 'step' | 'take' | 'attempt'>>(
  row: Pick<RedriveRow, 'kind' | 'take' | 'redoFrom'>,
  attempts: readonly A[],
): A | undefined {
  const ofTake = attempts.filter((one) => one.take === row.take);
  return stepsFrom(row.kind, row.redoFrom)
    .map((step) => lastAttempt(ofTake, step))
    .findLast((one) => one !== undefined);
}

/** The first step that the current take was to pay for and that did not come to a good end. */
function firstUnfinished(row: RedriveRow, attempts: readonly RedriveAttempt[]): Step | undefined {
  const ofTake = attempts.filter((one) => one.take === row.take);
  return stepsFrom(row.kind, row.redoFrom).find((step) => {
    const last = lastAttempt(ofTake, step);
    const isJobDone = last?.state === 'accepted' && last.finishedAt !== null && last.failure === null;
    const isDone = last?.state === 'done' && last.failure === null;
    return !isDone && !isJobDone;
  });
}

/**
 * The first step that is not finished well. A step that ended for a lost result without having been sent lacks the result of the
 * step before it, so that one is not well either.
 */
function firstToPay(row: RedriveRow, attempts: readonly RedriveAttempt[]): Step | undefined {
  const step = firstUnfinished(row, attempts);
  const wasSent = attempts.some((one) => one.take === row.take && one.step === step);
  if (step === undefined || wasSent || row.failure?.class !== 'ResultGone') return step;
  const { steps } = ROW_KINDS[row.kind];
  return steps[steps.indexOf(step) - 1] ?? step;
}

/** May a request for one of these steps count still? The ledger asks again in the transaction that makes a new take. */
export function findUnresolved(
  kind: Kind,
  fromStep: Step,
  attempts: readonly AttemptView[],
): { readonly why: 'unknown' | 'running' | 'on-the-wire'; readonly step: Step } | undefined {
  const last = stepsFrom(kind, fromStep).flatMap((step) => lastAttempt(attempts, step) ?? []);
  const wire = last.find((one) => one.state === 'sending');
  if (wire !== undefined) return { why: 'on-the-wire', step: wire.step };
  const lost = last.find((one) => one.state === 'unknown');
  if (lost !== undefined) return { why: 'unknown', step: lost.step };
  const running = last.find(hasRunningJob);
  return running === undefined ? undefined : { why: 'running', step: running.step };
}

function firstOf(kind: Kind): Step {
  const [first] = ROW_KINDS[kind].steps;
  if (first === undefined) throw new Error(`Kind ${kind} has no steps.`);
  return first;
}
