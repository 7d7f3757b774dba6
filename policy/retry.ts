import type { FailureClass } from '../contract/failures.ts';
import type { AttemptState } from '../contract/outcomes.ts';
import type { Step } from '../contract/row-kinds.ts';

/**
 * How many attempts of a take may come to nothing, by the class of the last one, before the row fails with it.
 *
 * A refusal costs nothing, so patience is cheap; but some refusals never heal, and a batch must end. `NotSent` is the most
 * patient: with the shared backoff of at most 30 s its cap is more than an hour of an API that is away. `BadToken` and
 * `OutOfCredits` pause the batch instead: a person heals them, so they have no cap.
 */
const ATTEMPT_CAPS: Partial<Record<FailureClass, number>> = {
  NotSent: 150,
  RateLimited: 100,
  ServiceDown: 8,
};

/** An attempt that had its answer before. */
interface EarlierAttempt {
  readonly step: Step;
  readonly take: number;
  readonly state: AttemptState;
  readonly failure: { readonly class: FailureClass } | null;
}

/** How many attempts of this step and take came to nothing for this reason. */
export function countRefusals(
  attempts: readonly EarlierAttempt[],
  { step, take }: Pick<EarlierAttempt, 'step' | 'take'>,
  failure: FailureClass,
): number {
  return attempts.filter(
    (one) => one.step === step && one.take === take && one.state === 'not-accepted' && one.failure?.class === failure,
  ).length;
}

/** True if the next attempt may be made after `refusals` attempts of this class in this take. */
export function mayTryAgain(failure: FailureClass, refusals: number): boolean {
  const cap = ATTEMPT_CAPS[failure];
  return cap === undefined || refusals < cap;
}

/** True for the refusals that a person must heal: the batch pauses. */
export function pausesBatch(failure: FailureClass): failure is 'BadToken' | 'OutOfCredits' {
  return failure === 'BadToken' || failure === 'OutOfCredits';
}
