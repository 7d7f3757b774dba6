import { ApplicationFailure } from '@temporalio/common';
import type { AttemptKey, FencedAttempt, Move, RowAttempt } from '../contract/batch.ts';
import type { VerdictName } from '../contract/outcomes.ts';
import { operationOf, type Operation } from '../contract/row-kinds.ts';
import type { BatchRecord } from '../ledger/batches/batch-records.ts';
import type { ChargeRecord } from '../ledger/requests/charge-records.ts';
import type { RowRecord, RowSnapshot } from '../ledger/rows/row-records.ts';
import { nextMove, rowView } from '../policy/rows/row-machine.ts';
import { loadBatch } from './cache/batch-cache.ts';
import type { Dependencies } from './dependencies.ts';

/** What the ledger knows about an attempt, its row and its batch. */
export interface LoadedAttempt extends RowSnapshot {
  readonly batch: BatchRecord;
  /** The attempt's own record, if there is one. */
  readonly charge: ChargeRecord | undefined;
  readonly operation: Operation;
}

/** What a submit or reconcile reports to its lane. */
export interface SubmitReport {
  /**
   * A verdict, or why nothing was recorded or sent. `blocked`: the batch is paused or stopping. `deferred`: a free read
   * that had to come first failed. `skipped`: the attempt would exceed the budget, and the row has ended. `cached`: an
   * earlier result stands in its place.
   */
  readonly verdict: VerdictName | 'blocked' | 'deferred' | 'skipped' | 'cached';
  /** What the row needs now. */
  readonly next: Move;
  /** State of the row now, if it is known without asking the ledger again. */
  readonly snapshot?: RowSnapshot;
  /**
   * Why the request is deferred: an earlier result exists, another row's request may bring the same one, or the budget
   * has no room yet. `released`: another worker does what the row needs now.
   */
  readonly deferral?: 'cached' | 'awaited' | 'short' | 'released';
}

/** What a row needs now, and its state if that is known. */
export type RowProgress = Pick<SubmitReport, 'next' | 'snapshot' | 'deferral'>;

/** A row whose next step is to be sent. */
export interface DueRow {
  readonly key: FencedAttempt;
  readonly snapshot: RowSnapshot;
}

/** Name of an attempt, for the work that runs on it. */
export function attemptName(key: AttemptKey): string {
  return [key.batch, key.row, key.step, key.take, key.attempt].join('/');
}

/** An attempt with its row: from the ledger, or in the state that the caller last saw. */
export async function loadAttempt(deps: Dependencies, key: AttemptKey, known?: RowSnapshot): Promise<LoadedAttempt> {
  const batch = await loadBatch(deps, key.batch);
  const snapshot = known ?? (await deps.ledger.readRow(key.batch, key.row));
  if (snapshot === undefined) {
    throw ApplicationFailure.nonRetryable(`Batch "${key.batch}" has no row ${String(key.row)}.`, 'BatchMissing');
  }
  return buildAttempt(key, batch, snapshot);
}

/** An attempt as the given records show it. */
export function buildAttempt(key: AttemptKey, batch: BatchRecord, { row, charges }: RowSnapshot): LoadedAttempt {
  const operation = operationOf(row.spec, key.step, batch.settings.tts);
  return { batch, row, charges, charge: findCharge(key, charges), operation };
}

/** The record of this very attempt among those of its row. */
export function findCharge(key: AttemptKey, charges: readonly ChargeRecord[]): ChargeRecord | undefined {
  return charges.find((one) => one.step === key.step && one.take === key.take && one.attempt === key.attempt);
}

/** Reports the row's state in the ledger, and what it needs from the holder of this attempt. */
export function makeReport(verdict: SubmitReport['verdict'], key: FencedAttempt, snapshot: RowSnapshot): SubmitReport {
  const { row, charges } = snapshot;
  return { verdict, next: nextMoveFor(key, snapshot), snapshot: { row, charges } };
}

/** Reports what the ledger says. An attempt without a verdict is for reconcile, never for a second send. */
export function reportFromLedger(key: FencedAttempt, snapshot: RowSnapshot): SubmitReport {
  const state = findCharge(key, snapshot.charges)?.state;
  return makeReport(state === undefined || state === 'sending' ? 'deferred' : state, key, snapshot);
}

/** What a row needs next from the holder of this attempt, by the ledger's current state. */
export async function readNextMove(deps: Dependencies, key: FencedAttempt): Promise<Move> {
  const snapshot = await deps.ledger.readRow(key.batch, key.row);
  return snapshot === undefined ? { type: 'ended' } : nextMoveFor(key, snapshot);
}

/** What a row needs next from the holder of this fencing token; nothing if another holder has the row by now. */
export function nextMoveFor(held: Pick<RowAttempt, 'fence'>, { row, charges }: RowSnapshot): Move {
  if (isFencedOff(held, row)) return { type: 'ended' };
  const next = nextMove({ ...rowView(row), ended: row.outcome !== null }, charges);
  const { fence } = held;
  return next.type === 'ended' || fence === undefined ? next : { ...next, at: { ...next.at, fence } };
}

/** True if the row was taken back: another lane holds it, or will with a later claim. */
export function isFencedOff({ fence }: Pick<RowAttempt, 'fence'>, row: RowRecord): boolean {
  return fence !== undefined && fence !== row.fence;
}
