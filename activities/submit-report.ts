import type { FencedAttempt, Move, RowAttempt } from '../contract/batch.ts';
import type { Control, VerdictName } from '../contract/outcomes.ts';
import type { ChargeRecord, RowRecord, RowStanding } from '../ledger/record-types.ts';
import { nextMove } from '../policy/row-machine.ts';
import type { Dependencies } from './dependencies.ts';
import { loadBatch, ownCharge } from './load-attempt.ts';

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

/** A report of how the row stands in the ledger now, and what it needs by that of whoever worked on this attempt. */
export function reportOf(
  verdict: SubmitReport['verdict'],
  key: FencedAttempt,
  { row, charges }: RowStanding,
): SubmitReport {
  return { verdict, next: moveAfter(key, row, charges), standing: { row, charges } };
}

/** What stands in the ledger is the answer. An attempt without a verdict is for reconcile, never for a second send. */
export function reportStanding(key: FencedAttempt, standing: RowStanding): SubmitReport {
  const state = ownCharge(key, standing.charges)?.state;
  return reportOf(state === undefined || state === 'sending' ? 'deferred' : state, key, standing);
}

/** The report, with what the user lets the batch do, where that is not to run. */
export async function withControl(
  deps: Dependencies,
  { batch }: FencedAttempt,
  report: SubmitReport,
): Promise<SubmitReport> {
  const { control } = await loadBatch(deps, batch);
  return control === 'running' ? report : { ...report, control };
}

/** True if the row was taken back since: another lane has it, or a claim that is still to come. */
export function isFencedOff({ fence }: Pick<RowAttempt, 'fence'>, row: RowRecord): boolean {
  return fence !== undefined && fence !== row.fence;
}

/** What a row needs next of whoever works on this attempt of it, from the ledger as it is now. */
export async function moveOf(deps: Dependencies, key: FencedAttempt): Promise<Move> {
  const found = await deps.ledger.readRow(key.batch, key.row);
  return found === undefined ? { type: 'ended' } : moveAfter(key, found.row, found.charges);
}

/** What a row needs next of the holder of this fencing token; nothing, if the row was given to another since. */
export function moveAfter(held: Pick<RowAttempt, 'fence'>, row: RowRecord, charges: readonly ChargeRecord[]): Move {
  if (isFencedOff(held, row)) return { type: 'ended' };
  const { kind, take, redoFrom } = row;
  const next = nextMove({ row: row.row, kind, take, redoFrom, ended: row.outcome !== null }, charges);
  const { fence } = held;
  return next.type === 'ended' || fence === undefined ? next : { ...next, at: { ...next.at, fence } };
}
