import { isSameAttempt, type AttemptKey } from '../../contract/batch.ts';
import type { AttemptState } from '../../contract/outcomes.ts';
import { checkedStepOf, type Kind, type Step } from '../../contract/row-kinds.ts';
import { usedAttempt } from '../rows/row-machine.ts';

/** When a row may reuse an earlier result of the cache. */

/** The part of an attempt's record that decides. */
export interface EarlierAttempt {
  readonly step: Step;
  readonly take: number;
  readonly attempt: number;
  readonly state: AttemptState;
  readonly file: object | null;
  readonly failure: object | null;
  readonly resultKey: string | null;
  /** The earlier result that it reused, or could not reuse because the stored file is missing or altered. */
  readonly source: { readonly is: 'used' | 'missing' | 'altered' } | null;
}

/**
 * Whether a step of a row may reuse the result of an earlier, equal row. `attempts`: all attempts of the row; `key`:
 * the step's cache key.
 *
 * It may not if the row has already had a good result for the same request: a redrive wants another one. A check of the
 * same file may still reuse a result, unless the redrive starts at the check itself. It may not either if this take has
 * revoked a reused result because the next step could not use it.
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
 * Whether the result that a row uses from a step has this cache key, so that later steps can be shared too. It has no
 * key if a person named its job, or if it predates cache keys.
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

/** Whether an attempt of this take already records that the earlier result `from` is missing or altered. */
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
