import type { FailureClass } from '../../contract/failures.ts';

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

/** True if the next attempt may be made after `refusals` attempts of this class in this take. */
export function mayTryAgain(failure: FailureClass | null, refusals: number): boolean {
  if (failure === null) return true;
  const cap = ATTEMPT_CAPS[failure];
  return cap === undefined || refusals < cap;
}

/** True for the refusals that a person must heal: the batch pauses. */
export function pausesBatch(failure: FailureClass): failure is 'BadToken' | 'OutOfCredits' {
  return failure === 'BadToken' || failure === 'OutOfCredits';
}
