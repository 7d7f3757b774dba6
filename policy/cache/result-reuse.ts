import { isSameAttempt, type AttemptKey } from '../../contract/batch.ts';
import type { AttemptState } from '../../contract/outcomes.ts';
import { checkedStepOf, type Kind, type Step } from '../../contract/row-kinds.ts';
import { usedAttempt } from '../rows/row-machine.ts';

/** The part of an attempt that matters here. */
export interface EarlierAttempt {
  readonly step: Step;
  readonly take: number;
  readonly attempt: number;
  readonly state: AttemptState;
  readonly file: object | null;
  readonly failure: object | null;
  readonly resultKey: string | null;
  readonly source: { readonly is: 'used' | 'missing' | 'altered' } | null;
}

/**
 * Whether a step of a row may reuse the result of an earlier, equal row.
 *
 * Not if the row has already had a good result for the same request: whoever runs it again wants another. A check of
 * the same file may reuse one anyway, unless a person asked for the check itself. Not if the row revoked such a result
 * in this take because the next step could not use it.
 */
export function mayReuse(
  { take, kind, redoFrom }: { readonly take: number; readonly kind: Kind; readonly redoFrom: Step | null },
  attempts: readonly EarlierAttempt[],
  step: Step,
  key: string,
): boolean {
  const isCheck = checkedStepOf(kind, step) !== undefined && redoFrom !== step;
  return attempts
    .filter((one) => one.step === step)
    .every((one) => {
      const isSame = one.resultKey === null || one.resultKey === key;
      const hadIt = !isCheck && one.file !== null && one.failure === null && isSame;
      const gaveItBack = one.take === take && one.state === 'revoked' && one.source?.is === 'used';
      return !hadIt && !gaveItBack;
    });
}

/**
 * Whether a later step's input from this step matches its cache key. Not if a person named the job, or if the result
 * predates cache keys: then the later step's result has no key either.
 */
export function matchesCacheKey(
  row: { readonly acceptedTake: number | null },
  attempts: readonly EarlierAttempt[],
  step: Step,
  key: string,
): boolean {
  return usedAttempt(row, attempts, step)?.resultKey === key;
}

/** An attempt, and the earlier result that it used, or could not use. */
interface Sourced extends Pick<EarlierAttempt, 'take'> {
  readonly source: { readonly is: 'used' | 'missing' | 'altered'; readonly from: AttemptKey } | null;
}

/** Whether a request of this take already records that a result was damaged, so that later ones need not. */
export function isDamageRecorded(
  attempts: readonly Sourced[],
  { take }: { readonly take: number },
  from: AttemptKey,
): boolean {
  return attempts.some(
    ({ take: of, source }) =>
      of === take && source !== null && source.is !== 'used' && isSameAttempt(source.from, from),
  );
}
