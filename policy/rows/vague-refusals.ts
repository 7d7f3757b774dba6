import type { Failure } from '../../contract/failures.ts';
import type { Step } from '../../contract/row-kinds.ts';

/** A take's 429s without a reason that are taken for "too fast"; the next one is taken for "no credits". */
const MOST_VAGUE = 7;

/** An earlier attempt of a row. */
interface EarlierAttempt {
  readonly step: Step;
  readonly take: number;
  readonly failure: Pick<Failure, 'limit'> | null;
}

/**
 * What a refusal means after the earlier ones of its take. The legacy paths answer a 429 for too many requests and for
 * missing credits, and may not say which. Slowing down heals the first soon. So one that comes again and again pauses
 * the batch, as missing credits do: nothing is lost, and a person sees which it is. After a resumption the first such
 * answer pauses again.
 */
export function afterVague(
  attempts: readonly EarlierAttempt[],
  { step, take }: Pick<EarlierAttempt, 'step' | 'take'>,
  failure: Failure,
): Failure {
  if (failure.limit !== 'vague') return failure;
  const before = attempts.filter((one) => one.step === step && one.take === take && one.failure?.limit === 'vague');
  if (before.length < MOST_VAGUE) return failure;
  const words = failure.message.replace(/\.?$/, '.').slice(0, 300);
  const message = `${words} It does not say why, and came ${String(before.length + 1)} times: credits may be missing (voxbatch profile shows them).`;
  return { ...failure, class: 'OutOfCredits', message };
}
