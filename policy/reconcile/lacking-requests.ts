import type { RowAttempt } from '../../contract/batch.ts';
import type { FailureClass } from '../../contract/failures.ts';
import { hasResult, type Outcome } from '../../contract/outcomes.ts';
import { stepsIn } from '../../contract/row-kinds.ts';
import { findUnresolved, isMade } from '../redrive/redrive.ts';
import { lastAttempt, rowView, type AttemptView } from '../rows/row-machine.ts';
import { isLeftOut, unsentRequest, type UnsentRow } from './unsent-request.ts';

/** The part of a row that matters here. */
export type LackingRow = Parameters<typeof rowView>[0] &
  Pick<UnsentRow, 'outcome' | 'state'> & { readonly failure: { readonly class: FailureClass } | null };

type EndedRow = LackingRow & { readonly outcome: Outcome };

/**
 * The requests of a row that a ledger may lack because it was restored, and whose job a person may name: the one that
 * the row needs next, or, if it has ended, those that its next take may begin with, the likeliest first. None for a row
 * that needs something else first. `take`: as named; without one, the next take is only meant if nothing else can be.
 */
export function lackingRequests(
  row: LackingRow,
  attempts: readonly AttemptView[],
  take?: number,
): readonly RowAttempt[] {
  const { outcome, state } = row;
  const unsent = unsentRequest({ ...rowView(row), outcome, state }, attempts);
  if (unsent !== undefined) return (take ?? unsent.take) === unsent.take ? [unsent] : [];
  if (outcome === null || isLeftOut(outcome)) return [];
  const ended = { ...row, outcome };
  const isMeant = take === undefined ? !mustNameTake(ended, attempts) : take === row.take + 1;
  return isMeant ? nextTakeRequests(ended, attempts) : [];
}

/** Whether the next take has to be named: the row has a result, or a request that may still bring one. */
function mustNameTake({ spec, outcome }: EndedRow, attempts: readonly AttemptView[]): boolean {
  return hasResult(outcome) || stepsIn(spec).some((step) => findUnresolved(spec, step, attempts) !== undefined);
}

function nextTakeRequests(
  { row, spec, failure, take, parts }: EndedRow,
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
