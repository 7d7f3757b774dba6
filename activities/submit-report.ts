import type { Move } from '../contract/batch.ts';
import type { Control, VerdictName } from '../contract/outcomes.ts';
import type { RowStanding } from '../ledger/record-types.ts';

/** What a submit or reconcile reports to its lane. */
export interface SubmitReport {
  /**
   * A verdict; or `blocked`: the batch is paused or stopping, nothing was recorded or sent; or `deferred`: a free read
   * that had to come first did not work, nothing was recorded or sent; or `skipped`: it would exceed the budget, the row
   * has ended.
   */
  readonly verdict: VerdictName | 'blocked' | 'deferred' | 'skipped';
  /** What the row needs now. */
  readonly next: Move;
  /** How the row stands now, where that is known without asking the ledger again. */
  readonly standing?: RowStanding;
  /** With `blocked`: what the user lets the batch do. */
  readonly control?: Control;
}

/** What a row needs now, and how it stands where that is known. */
export type RowNow = Pick<SubmitReport, 'next' | 'standing'>;

/** A report of what stands in the ledger now, and what the row needs by it. */
export function reportOf(verdict: SubmitReport['verdict'], next: Move, { row, charges }: RowStanding): SubmitReport {
  return { verdict, next, standing: { row, charges } };
}
