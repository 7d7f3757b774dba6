import type { FailureClass, Failure } from '../../contract/failures.ts';
import type { AttemptState } from '../../contract/outcomes.ts';
import type { Step } from '../../contract/row-kinds.ts';

/**
 * Limits on the attempts of a take: how many may be refused, by the failure class of the last one, before the row
 * fails.
 *
 * A refusal costs nothing, so patience is cheap; but some refusals never stop, and a batch must end. `NotSent` has the
 * most patience: with the shared backoff of at most 30 s, its cap covers more than an hour without the API. `BadToken`
 * and `OutOfCredits` have no cap: they pause the batch, because only a person can fix them.
 */
const MAX_ATTEMPTS: Partial<Record<FailureClass, number>> = {
  NotSent: 150,
  RateLimited: 100,
  ServiceDown: 8,
};

/** An earlier attempt that has its answer. */
export interface EarlierAttempt {
  readonly step: Step;
  readonly take: number;
  readonly state: AttemptState;
  readonly failure: Pick<Failure, 'class' | 'limit'> | null;
}

/** Counts the attempts of a step and take that were refused with this failure class. */
export function countRefusals(
  attempts: readonly EarlierAttempt[],
  { step, take }: Pick<EarlierAttempt, 'step' | 'take'>,
  failure: FailureClass,
): number {
  return attempts.filter(
    (one) => one.step === step && one.take === take && one.state === 'not-accepted' && one.failure?.class === failure,
  ).length;
}

/** Whether another attempt may be made after `refusals` refusals of this class in this take. */
export function mayTryAgain(failure: FailureClass, refusals: number): boolean {
  const cap = MAX_ATTEMPTS[failure];
  return cap === undefined || refusals < cap;
}

/** Whether only a person can fix a refusal of this class, so that the batch pauses. */
export function pausesBatch(failure: FailureClass): failure is 'BadToken' | 'OutOfCredits' {
  return failure === 'BadToken' || failure === 'OutOfCredits';
}

/** How many of a take's 429s without a reason are read as "too fast"; the next one is read as "no credits". */
const MAX_VAGUE = 7;

/**
 * Reinterprets a 429 that does not state its reason, in light of the earlier refusals of its take. The legacy paths
 * answer 429 both for too many requests and for missing credits. Slowing down soon fixes the former. So after {@link
 * MAX_VAGUE} such answers, the next one counts as missing credits and pauses the batch: nothing is lost, and a person
 * can look. After a resume, the first such answer pauses the batch again. Returns other failures unchanged.
 */
export function interpretVagueRefusal(
  attempts: readonly Omit<EarlierAttempt, 'state'>[],
  { step, take }: Pick<EarlierAttempt, 'step' | 'take'>,
  failure: Failure,
): Failure {
  if (failure.limit !== 'vague') return failure;
  const before = attempts.filter((one) => one.step === step && one.take === take && one.failure?.limit === 'vague');
  if (before.length < MAX_VAGUE) return failure;
  const words = failure.message.replace(/\.?$/, '.').slice(0, 300);
  const message = `${words} It does not say why, and came ${String(before.length + 1)} times: credits may be missing (voxbatch profile shows them).`;
  return { ...failure, class: 'OutOfCredits', message };
}
