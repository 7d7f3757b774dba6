import { defined } from '../../contract/defined.ts';
import { hasResult, type TakeReason } from '../../contract/outcomes.ts';
import { checkedStepOf, resultStepOf, stepsIn, type Step, type StepChoice } from '../../contract/row-kinds.ts';
import {
  leftUnfetched,
  refusedReturn,
  resultOfTake,
  unfetchedOfTake,
  type EarlierTake,
  type RedriveAttempt,
  type RedriveRow,
  type ReturnRefusal,
} from './earlier-take.ts';
import { jobOfFile } from './lost-file.ts';
import {
  hasRunningJob,
  isFetchedAgain,
  lastAttempt,
  presentTake,
  stepsFrom,
  type AttemptView,
} from '../rows/row-machine.ts';

export type { RedriveAttempt, RedriveRow } from './earlier-take.ts';

/**
 * Plans what a redrive (`voxbatch redrive`, or `run` on an outcome file) does with a row.
 *
 * A row that is paid for again begins its next take (paid run) at its first unfinished step; results of the steps
 * before that are kept. If the person names a step, or edited its input, that step and all later ones are done again
 * even if they are finished.
 *
 * Three kinds of rows need `--resubmit` to be paid again, because that may be a second charge for one result: a row
 * whose last request may have been accepted, one whose result the store has although a restored ledger lacks the
 * request, and one whose job may still run. The last kind need not be paid at all: the row can wait for its job again.
 * The same holds for a finished job whose result could not be fetched, and for a row without a result that left such a
 * job at an earlier take: it can return to that take.
 *
 * A result that failed a check was paid for. A person may accept it as it is (`--accept`), free; otherwise a redrive
 * pays for a new one. `--accept` can also return to the result of an earlier take, whatever the row has now.
 *
 * A row that has its result is left alone, unless the person named it, a step of it, or its outcome. If the stored file
 * of that result is lost, the job that made it is read again, free, even if it belongs to an earlier take or another
 * row.
 */

/** A person's request for a row. */
export interface RedriveRequest {
  /** Redo this step and all later ones; null to redo only unfinished steps. */
  readonly step: Step | null;
  /** Pay even if that may be a second charge. */
  readonly resubmit: boolean;
  /** Replace even an existing result. */
  readonly replace: boolean;
  /** Accept a result that failed a check instead of paying for another. */
  readonly accept: boolean;
  /** With `accept`: return to the result of this earlier take, whatever the row has now. Default: the kept result. */
  readonly earlier?: EarlierTake | undefined;
  /** The first take with the row's current request. Default: take 1, if never edited. */
  readonly askedSince?: number | undefined;
  /** The row's cells were edited; `from`: the first step that reads one of them, null if none does. */
  readonly edited: { readonly from: Step | null } | null;
  /** Steps whose paid results the store has, although no request is on record: see `forgotten-results.ts`. */
  readonly stored?: readonly Step[] | undefined;
}

/** What a redrive does with a row. */
export type RedrivePlan =
  /** A new take, from this step on. */
  | {
      readonly type: 'pay';
      readonly fromStep: Step;
      readonly reason: Extract<TakeReason, 'redrive' | 'edited' | 'resubmitted'>;
    }
  /**
   * Wait again for the job of this step, free; later steps are paid as usual. `isAgain`: all steps are done, and only
   * the file is missing, because it is lost or the parts are not joined yet.
   */
  | { readonly type: 'wait'; readonly step: Step; readonly isAgain?: true }
  /**
   * Accept the result of this step as it is, free; later steps are paid as usual. `take`: that of this earlier take,
   * which is the row's whole result. `isAgain`: it has no stored file, or that is lost, and its job is read for it
   * first, free.
   */
  | { readonly type: 'accept'; readonly step: Step; readonly take?: number; readonly isAgain?: true }
  /** Do nothing. `has-result`: nobody requested another result. `no-unfit`: there is no result to accept. */
  | { readonly type: 'leave'; readonly why: 'open' | 'has-result' | 'no-unfit' }
  /**
   * Refused without `--resubmit`: the last request for this step may have been accepted (`unknown`), or its job may
   * still run (`running`; `leftTake`: it is the result of this take, which the row has left, and can go back to), or
   * the store has a result of a request that a restored ledger lacks (`stored`).
   * Refused for now: `on-the-wire`. Refused always: its kind has no such step (`no-step`), or it was edited and is
   * spoken in parts, which are those of its old text (`in-parts`).
   */
  | {
      readonly type: 'refuse';
      readonly why: 'unknown' | 'running' | 'stored' | 'on-the-wire' | 'no-step' | 'in-parts';
      readonly step: Step;
      readonly leftTake?: number;
    }
  /** Refused: the row cannot return to that take. */
  | { readonly type: 'refuse'; readonly why: 'no-return'; readonly step: Step; readonly because: ReturnRefusal };

/** Plans one row. `attempts`: all attempts of the row, in any order. */
export function planRedrive(
  row: RedriveRow,
  attempts: readonly RedriveAttempt[],
  request: RedriveRequest,
): RedrivePlan {
  const steps = stepsIn(row.spec);
  if (request.step !== null && !steps.includes(request.step))
    return { type: 'refuse', why: 'no-step', step: request.step };
  if (row.outcome === null) return { type: 'leave', why: 'open' };
  if (request.accept && request.earlier !== undefined) return planReturn(row, attempts, request.earlier);
  if ((row.parts ?? null) !== null) return planWhole(row, request);
  const named = [request.step, request.edited?.from ?? null].filter((step) => step !== null);
  const hasOwnResult = hasResult(row.outcome);
  if (hasOwnResult && named.length === 0 && (!request.replace || request.accept))
    return { type: 'leave', why: 'has-result' };
  if (request.accept) return planAcceptance(row, attempts);
  const job = named.length === 0 && !request.resubmit ? jobToWaitFor(row, attempts) : undefined;
  if (job !== undefined)
    return { type: 'wait', step: job.step, ...(job.file != null && !isMade(job) ? { isAgain: true } : {}) };

  const unfinished = [firstToPay(row, attempts), lostAttempt(attempts)?.step];
  const wanted = [...named, ...unfinished.filter((step) => step !== undefined)];
  // All steps are finished, but the row is redone: it is unknown which step is at fault, so all are paid again.
  const fromStep = steps.find((step) => wanted.includes(step)) ?? firstOf(row.spec);
  const unresolved = findUnresolved(row.spec, fromStep, attempts);
  if (unresolved?.why === 'on-the-wire') return { type: 'refuse', ...unresolved };
  if (unresolved !== undefined && !request.resubmit) {
    const leftTake = unfetchedOfTake(row, attempts, lastAttempt(attempts, unresolved.step)?.take ?? 0)?.take;
    return { type: 'refuse', ...unresolved, ...defined({ leftTake }) };
  }
  const canGoBack = unresolved === undefined && request.edited === null && !hasOwnResult;
  const left = canGoBack ? leftUnfetched(row, attempts, request.askedSince ?? 1) : undefined;
  const isLeft = left !== undefined && stepsFrom(row.spec, fromStep).includes(left.step);
  if (isLeft && !request.resubmit) return { type: 'refuse', why: 'running', step: left.step, leftTake: left.take };
  const stored = stepsFrom(row.spec, fromStep).find((step) => request.stored?.includes(step));
  // Named by row, because the person has to look at each: only its number ties the file to it.
  if (stored !== undefined && !(request.resubmit && request.replace))
    return { type: 'refuse', why: 'stored', step: stored };
  const isSecond = unresolved !== undefined || isLeft || stored !== undefined;
  const reason = isSecond ? 'resubmitted' : request.edited === null ? 'redrive' : 'edited';
  return { type: 'pay', fromStep, reason };
}

/** A redrive of only what is unfinished, without options. */
const PLAIN: RedriveRequest = { step: null, resubmit: false, replace: false, accept: false, edited: null };

/** Whether a redrive of a row that failed fetches its result again, and pays for nothing. */
export function isFetchedFree(row: RedriveRow, attempts: readonly RedriveAttempt[]): boolean {
  const plan = planRedrive(row, attempts, PLAIN);
  return plan.type === 'wait' && paidSteps(row.spec, plan).length === 0;
}

/** Whether a redrive of a row pays for a check of its result, and for nothing else. */
export function paysOnlyCheck(row: RedriveRow, attempts: readonly RedriveAttempt[]): boolean {
  const paid = paidSteps(row.spec, planRedrive(row, attempts, PLAIN));
  return paid.length > 0 && paid.every((step) => checkedStepOf(row.spec.kind, step) !== undefined);
}

/** Plans a row whose parts all have results: joining them again is free. The parts are planned separately. */
function planWhole(row: RedriveRow, { edited }: RedriveRequest): RedrivePlan {
  const step = edited?.from ?? null;
  if (step !== null) return { type: 'refuse', why: 'in-parts', step };
  return hasResult(row.outcome)
    ? { type: 'leave', why: 'has-result' }
    : { type: 'wait', step: firstOf(row.spec), isAgain: true };
}

/** Plans the return to an earlier take; a row that already has that take's result is left alone. */
function planReturn(row: RedriveRow, attempts: readonly RedriveAttempt[], earlier: EarlierTake): RedrivePlan {
  const step = resultStepOf(row.spec);
  const because = refusedReturn(row, attempts, earlier);
  if (because !== undefined) return { type: 'refuse', why: 'no-return', step, because };
  const made = resultOfTake(row.spec, attempts, earlier.take);
  if (hasResult(row.outcome) && made !== undefined && made.file?.key === row.file?.key)
    return { type: 'leave', why: 'has-result' };
  const isThere = earlier.is === undefined && made !== undefined;
  return { type: 'accept', step, take: earlier.take, ...(isThere ? {} : { isAgain: true }) };
}

/** Returns the steps that a plan pays for. */
export function paidSteps(row: StepChoice, plan: RedrivePlan): readonly Step[] {
  switch (plan.type) {
    case 'pay':
      return stepsFrom(row, plan.fromStep);
    case 'wait':
      return plan.isAgain === true ? [] : stepsFrom(row, plan.step).slice(1);
    case 'accept':
      if (plan.take !== undefined) return [];
      return stepsFrom(row, plan.step)
        .slice(1)
        .filter((step) => checkedStepOf(row.kind, step) === undefined);
    default:
      return [];
  }
}

/** Returns the attempt whose paid job can be waited for, or fetched, once more; undefined if there is none. */
export function jobToWaitFor<A extends RedriveAttempt>(row: RedriveRow, attempts: readonly A[]): A | undefined {
  const lost = lostAttempt(attempts);
  if (lost !== undefined) return jobOfFile(lost) === undefined ? undefined : lost;
  const isGone = row.outcome === 'failed' && row.failure?.class === 'ResultGone';
  if (row.outcome !== 'overdue' && !isGone) return undefined;
  const last = lastOfTake(row, attempts);
  return last?.state === 'accepted' && last.jobId !== null ? last : undefined;
}

/** Returns the attempt whose stored file is lost. It keeps the file's record, to compare the replacement with. */
export function lostAttempt<A extends RedriveAttempt>(attempts: readonly A[]): A | undefined {
  return attempts.findLast((one) => isFetchedAgain(one) || (one.file != null && one.failure?.class === 'ResultGone'));
}

function planAcceptance(row: RedriveRow, attempts: readonly RedriveAttempt[]): RedrivePlan {
  const made = lostAttempt(attempts) === undefined ? attemptToAccept(row, attempts) : undefined;
  return made === undefined ? { type: 'leave', why: 'no-unfit' } : { type: 'accept', step: made.step };
}

/**
 * Returns the attempt whose result a person may accept: the one that an unfit row kept, from any take, or a good result
 * whose check was refused, never made, or lost its answer.
 */
export function attemptToAccept<A extends RedriveAttempt>(row: RedriveRow, attempts: readonly A[]): A | undefined {
  if (row.outcome === null || hasResult(row.outcome)) return undefined;
  const steps = stepsIn(row.spec);
  const kept = row.outcome === 'unfit' ? row.file?.key : undefined;
  if (kept !== undefined) {
    const ofFile = attempts.filter(({ file }) => file?.key === kept);
    return steps.map((step) => lastAttempt(ofFile, step)).findLast((one) => one !== undefined);
  }
  const last = lastOfTake(row, attempts)?.step ?? stepBefore(row);
  if (last === undefined) return undefined;
  const checked = checkedStepOf(row.spec.kind, last) ?? (isFollowedByCheck(row.spec, last) ? last : undefined);
  const made = checked === undefined ? undefined : lastAttempt(attempts, checked);
  return made !== undefined && isMade(made) ? made : undefined;
}

/** Returns the last step whose earlier result the current take keeps. */
function stepBefore({ spec, redoFrom }: RedriveRow): Step | undefined {
  const steps = stepsIn(spec);
  return redoFrom === null ? undefined : steps[steps.indexOf(redoFrom) - 1];
}

function isFollowedByCheck(row: StepChoice, step: Step): boolean {
  return stepsIn(row).some((one) => checkedStepOf(row.kind, one) === step);
}

/** Whether an attempt made a result that passed its checks. */
export function isMade({ state, finishedAt, failure }: AttemptView): boolean {
  if (failure !== null) return false;
  return state === 'done' || state === 'cached' || (state === 'accepted' && finishedAt !== null);
}

/** Returns the last attempt of the take that the row uses; see {@link presentTake}. */
function lastOfTake<A extends Pick<AttemptView, 'step' | 'take' | 'attempt'>>(
  row: Pick<RedriveRow, 'spec' | 'take' | 'redoFrom' | 'returnedTo'>,
  attempts: readonly A[],
): A | undefined {
  const ofTake = attempts.filter((one) => one.take === presentTake(row));
  return stepsFrom(row.spec, row.redoFrom)
    .map((step) => lastAttempt(ofTake, step))
    .findLast((one) => one !== undefined);
}

/**
 * Returns the first unfinished step that the current take had to pay for; undefined for a row that returned to an
 * earlier take, whose result is complete.
 */
function firstUnfinished(row: RedriveRow, attempts: readonly RedriveAttempt[]): Step | undefined {
  if ((row.returnedTo ?? null) !== null) return undefined;
  const ofTake = attempts.filter((one) => one.take === row.take);
  const step = stepsFrom(row.spec, row.redoFrom).find((one) => {
    const last = lastAttempt(ofTake, one);
    return last === undefined || !isMade(last);
  });
  if (step === undefined || lastAttempt(ofTake, step)?.failure?.class !== 'Unfit') return step;
  // A failed check is finished, and would fail again: the checked result must be made anew.
  return checkedStepOf(row.spec.kind, step) ?? step;
}

/**
 * Returns the first step to pay for again. If a step was never sent because the result of the step before it is lost,
 * that earlier step must be paid again too.
 */
function firstToPay(row: RedriveRow, attempts: readonly RedriveAttempt[]): Step | undefined {
  const step = firstUnfinished(row, attempts);
  const wasSent = attempts.some((one) => one.take === row.take && one.step === step);
  if (step === undefined || wasSent || row.failure?.class !== 'ResultGone') return step;
  const steps = stepsIn(row.spec);
  return steps[steps.indexOf(step) - 1] ?? step;
}

/**
 * Returns the first step, from `fromStep` on, with a request that may have been accepted without a result; undefined if
 * there is none. The ledger checks again in the transaction that makes a new take.
 */
export function findUnresolved(
  row: StepChoice,
  fromStep: Step,
  attempts: readonly AttemptView[],
): { readonly why: 'unknown' | 'running' | 'on-the-wire'; readonly step: Step } | undefined {
  const last = stepsFrom(row, fromStep).flatMap((step) => lastAttempt(attempts, step) ?? []);
  const wire = last.find((one) => one.state === 'sending');
  if (wire !== undefined) return { why: 'on-the-wire', step: wire.step };
  const lost = last.find((one) => one.state === 'unknown');
  if (lost !== undefined) return { why: 'unknown', step: lost.step };
  const running = last.find(hasRunningJob);
  return running === undefined ? undefined : { why: 'running', step: running.step };
}

function firstOf(row: StepChoice): Step {
  const [first] = stepsIn(row);
  if (first === undefined) throw new Error(`Kind ${row.kind} has no steps.`);
  return first;
}
