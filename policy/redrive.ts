import type { FailureClass } from '../contract/failures.ts';
import { hasResult, type Outcome, type TakeReason } from '../contract/outcomes.ts';
import { ROW_KINDS, type Kind, type Step } from '../contract/row-kinds.ts';
import { hasRunningJob, lastAttempt, stepsFrom, type AttemptView } from './row-machine.ts';

/**
 * What a redrive does with a row.
 *
 * A row that is paid for again is paid from its first unfinished step; finished steps before that are kept. If the
 * person names a step, or edited its input, that step and all later ones are done again even if they are finished.
 *
 * Two kinds of rows need `--resubmit` to be paid again, because that may be a second charge for one result: a row whose
 * last request may have been accepted, and a row whose job may still run. The second kind need not be paid at all: its
 * job is waited for again. The same holds for a finished job whose result could not be fetched.
 *
 * A result that failed a check is also paid for. A person may accept it as it is (`--accept`), free; otherwise a
 * redrive pays for a new one.
 *
 * A row that has its result is left alone, unless the person named it, a step of it, or its outcome.
 */

/** The part of a row that matters here. */
export interface RedriveRow {
  readonly kind: Kind;
  /** Null: the row has not ended. */
  readonly outcome: Outcome | null;
  readonly failure: { readonly class: FailureClass } | null;
  readonly take: number;
  readonly redoFrom: Step | null;
}

/** The part of an attempt that matters here. */
export interface RedriveAttempt extends AttemptView {
  readonly jobId: string | null;
}

/** What a person wants done with a row. */
export interface RedriveWish {
  /** Redo this step and all later ones; null: only what is unfinished. */
  readonly step: Step | null;
  /** Pay even if that may be a second charge. */
  readonly resubmit: boolean;
  /** Replace even an existing result. */
  readonly replace: boolean;
  /** Accept a result that failed a check, and pay for no other one. */
  readonly accept: boolean;
  /** The row's cells were edited; `from`: the first step that reads one of them, null if none does. */
  readonly edited: { readonly from: Step | null } | null;
}

export type RedrivePlan =
  /** A new take, from this step on. */
  | {
      readonly type: 'pay';
      readonly fromStep: Step;
      readonly reason: Extract<TakeReason, 'redrive' | 'edited' | 'resubmitted'>;
    }
  /** Wait again for the job of this step, free; later steps are paid as usual. */
  | { readonly type: 'wait'; readonly step: Step }
  /** Accept the unfit result of this step, free; later steps are paid as usual. */
  | { readonly type: 'accept'; readonly step: Step }
  /**
   * Do nothing; `open`: the row has not ended. `has-result`: it has a result, and nobody asked for another. `no-unfit`:
   * there is nothing to accept.
   */
  | { readonly type: 'leave'; readonly why: 'open' | 'has-result' | 'no-unfit' }
  /**
   * Refused without `--resubmit`: the last request for this step may have been accepted (`unknown`), or its job may
   * still run (`running`). Refused for now: `on-the-wire`. Refused always: its kind has no such step (`no-step`).
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
  // Everything is finished, but the row is wanted again: nothing tells which step was at fault.
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

/** The paid job that can be waited for, or fetched, once more. */
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

/** The last attempt of the current take. */
export function lastOfTake<A extends Pick<AttemptView, 'step' | 'take' | 'attempt'>>(
  row: Pick<RedriveRow, 'kind' | 'take' | 'redoFrom'>,
  attempts: readonly A[],
): A | undefined {
  const ofTake = attempts.filter((one) => one.take === row.take);
  return stepsFrom(row.kind, row.redoFrom)
    .map((step) => lastAttempt(ofTake, step))
    .findLast((one) => one !== undefined);
}

/** The first unfinished step that the current take had to pay for. */
function firstUnfinished(row: RedriveRow, attempts: readonly RedriveAttempt[]): Step | undefined {
  const ofTake = attempts.filter((one) => one.take === row.take);
  return stepsFrom(row.kind, row.redoFrom).find((step) => {
    const last = lastAttempt(ofTake, step);
    const isJobDone = last?.state === 'accepted' && last.finishedAt !== null && last.failure === null;
    const isDone = (last?.state === 'done' && last.failure === null) || last?.state === 'cached';
    return !isDone && !isJobDone;
  });
}

/**
 * The first unfinished step. A step that ended unsent because a result was lost lacks the result of the step before it,
 * so that step is unfinished too.
 */
function firstToPay(row: RedriveRow, attempts: readonly RedriveAttempt[]): Step | undefined {
  const step = firstUnfinished(row, attempts);
  const wasSent = attempts.some((one) => one.take === row.take && one.step === step);
  if (step === undefined || wasSent || row.failure?.class !== 'ResultGone') return step;
  const { steps } = ROW_KINDS[row.kind];
  return steps[steps.indexOf(step) - 1] ?? step;
}

/**
 * Whether a request for one of these steps may still have been accepted. The ledger checks again in the transaction
 * that makes a new take.
 */
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
