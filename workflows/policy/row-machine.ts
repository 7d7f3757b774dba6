import type { Move } from '../../contract/batch.ts';
import type { AttemptState } from '../../contract/outcomes.ts';
import { ROW_KINDS, type Kind, type Step } from '../../contract/row-kinds.ts';

/**
 * The row machine: what a row needs next, from its recorded attempts alone.
 *
 * A row walks through the steps of its kind. Of each step only the current take counts, and of a take only its last
 * attempt, because an attempt is made only when all before it certainly came to nothing:
 *
 * - no attempt yet: make attempt 1;
 * - `sending`: somebody may have sent it and did not live to tell, so it must be reconciled;
 * - `not-accepted`, `revoked`: it certainly came to nothing, so the next attempt may be made;
 * - `unknown`: it may have been taken; only reconciling, which never sends, may go on from here;
 * - `accepted`, its job not finished: wait; finished: the next step, or the row has ended;
 * - `done`: the next step, or the row has ended;
 * - `rejected`: the row has ended.
 *
 * A row that has an outcome has ended, whatever its attempts say. The machine never decides to send again after
 * `sending` or `unknown`: that is the promise of one charge, seen from the workflow's side.
 */

/** What the machine looks at in an attempt. */
export interface AttemptView {
  readonly step: Step;
  readonly take: number;
  readonly attempt: number;
  readonly state: AttemptState;
  /** When its job ended, for an accepted one; null while it runs. */
  readonly finishedAt: number | null;
}

/** What the machine looks at in a row. */
export interface RowView {
  readonly row: number;
  readonly kind: Kind;
  readonly take: number;
  readonly ended: boolean;
}

export function nextMove(row: RowView, attempts: readonly AttemptView[]): Move {
  if (row.ended) return { do: 'ended' };
  for (const step of ROW_KINDS[row.kind].steps) {
    const last = lastAttempt(attempts, step);
    const here = { row: row.row, step, take: last?.take ?? row.take, attempt: last?.attempt ?? 1 };
    if (last === undefined) return { do: 'submit', at: here };
    switch (last.state) {
      case 'sending':
      case 'unknown':
        return { do: 'reconcile', at: here };
      case 'not-accepted':
      case 'revoked':
        return { do: 'submit', at: { ...here, attempt: last.attempt + 1 } };
      case 'accepted':
        if (last.finishedAt === null) return { do: 'wait', at: here };
        break;
      case 'done':
        break;
      case 'rejected':
        return { do: 'ended' };
    }
  }
  return { do: 'ended' };
}

/** The attempt of a step that counts: the last one of the last take. */
export function lastAttempt<A extends AttemptView>(attempts: readonly A[], step: Step): A | undefined {
  let last: A | undefined;
  for (const one of attempts) {
    if (one.step !== step) continue;
    if (last === undefined || one.take > last.take || (one.take === last.take && one.attempt > last.attempt))
      last = one;
  }
  return last;
}

/** True if the step is the last one of its kind, so that its result is the row's result. */
export function isLastStep(kind: Kind, step: Step): boolean {
  return ROW_KINDS[kind].steps.at(-1) === step;
}
