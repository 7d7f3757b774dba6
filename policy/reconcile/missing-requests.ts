import type { RowAttempt } from '../../contract/batch.ts';
import type { FailureClass } from '../../contract/failures.ts';
import { hasResult, isLeftOut } from '../../contract/outcomes.ts';
import { stepsIn } from '../../contract/row-kinds.ts';
import { findUnresolved, isMade } from '../redrive/redrive.ts';
import { lastAttempt, rowView, type AttemptView } from '../rows/row-machine.ts';
import { unsentRequest, type UnsentRow } from './unsent-request.ts';

/** The part of a row that decides which of its requests a restored ledger may be missing. */
export type RestoredRow = Parameters<typeof rowView>[0] &
  Pick<UnsentRow, 'outcome' | 'state'> & { readonly failure: { readonly class: FailureClass } | null };

/**
 * Returns the requests that may have been sent although a restored ledger has no record of them, so that a person may
 * name their jobs: the request that the row needs next, or, if it has ended, those that its next take may begin with,
 * the likeliest first. All are of one take. None for a row that needs something else first.
 */
export function missingRequests(row: RestoredRow, attempts: readonly AttemptView[]): readonly RowAttempt[] {
  const { outcome, state } = row;
  const unsent = unsentRequest({ ...rowView(row), outcome, state }, attempts);
  if (unsent !== undefined) return [unsent];
  return outcome === null || isLeftOut(outcome) ? [] : nextTakeRequests(row, attempts);
}

/**
 * Returns those of the {@link missingRequests} that a job may be adopted for, if a person names the row and perhaps one
 * of its takes. Without a take, the next take counts only if the job cannot belong to a recorded request: the row has
 * no result, nor a request that may still bring one.
 */
export function adoptableRequests(
  row: RestoredRow,
  attempts: readonly AttemptView[],
  take: number | undefined,
): readonly RowAttempt[] {
  const { spec, outcome } = row;
  const mayBeNextTake = (): boolean =>
    !hasResult(outcome) && stepsIn(spec).every((step) => findUnresolved(spec, step, attempts) === undefined);
  return missingRequests(row, attempts).filter((one) =>
    take === undefined ? one.take === row.take || mayBeNextTake() : one.take === take,
  );
}

function nextTakeRequests(
  { row, spec, failure, take, parts }: RestoredRow,
  attempts: readonly AttemptView[],
): readonly RowAttempt[] {
  // Without its voice a row would end again with its maker, and the job not be fetched.
  if (parts !== null || failure?.class === 'NoVoice') return [];
  const steps = stepsIn(spec);
  const unfinished = steps.findIndex((step) => {
    const last = lastAttempt(attempts, step);
    return last === undefined || !isMade(last);
  });
  // A step can only follow results of those before it.
  const made = unfinished === -1 ? steps : steps.slice(0, unfinished);
  return [...steps.slice(made.length, made.length + 1), ...made]
    .filter((step) => findUnresolved(spec, step, attempts)?.why !== 'on-the-wire')
    .map((step) => ({ row, step, take: take + 1, attempt: 1 }));
}
