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

/**
 * An attempt (one paid request of a row's step) with its row and batch, as read from the ledger, and what its lane has
 * to do next.
 */
export interface LoadedAttempt extends RowSnapshot {
  readonly batch: BatchRecord;
  /** The attempt's own record; undefined before its intent (the record that is written before the request is sent). */
  readonly charge: ChargeRecord | undefined;
  /** The API operation that the attempt requests. */
  readonly operation: Operation;
}

/** What a row needs now. */
export interface RowProgress {
  readonly next: Move;
  /** The row and its attempts as of now; undefined if only the ledger can tell. */
  readonly snapshot?: RowSnapshot;
  /**
   * Why the request is not made now. `cached`: an earlier result exists. `awaited`: another row's request may bring the
   * same result. `short`: the budget has no room yet. `released`: another worker continues with the row.
   */
  readonly deferral?: 'cached' | 'awaited' | 'short' | 'released';
}

/** What a submit or reconcile reports to its lane. */
export interface SubmitReport extends RowProgress {
  /**
   * A verdict, or why nothing was recorded or sent. `blocked`: the batch is paused or stopping. `deferred`: a free read
   * that the request needs has failed. `skipped`: the attempt would exceed the budget, and the row has ended. `cached`:
   * the row uses an earlier result.
   */
  readonly verdict: VerdictName | 'blocked' | 'deferred' | 'skipped' | 'cached';
}

/** A row whose next step is to be sent. */
export interface DueRow {
  readonly key: FencedAttempt;
  readonly snapshot: RowSnapshot;
}

/** Returns the name under which this process tracks the work on an attempt. */
export function attemptName(key: AttemptKey): string {
  return [key.batch, key.row, key.step, key.take, key.attempt].join('/');
}

/**
 * Loads an attempt. `known`: its row as the caller last saw it; read from the ledger by default. Throws if the batch is
 * missing or of another realm, or has no such row.
 */
export async function loadAttempt(deps: Dependencies, key: AttemptKey, known?: RowSnapshot): Promise<LoadedAttempt> {
  const batch = await loadBatch(deps, key.batch);
  const snapshot = known ?? (await deps.ledger.readRow(key.batch, key.row));
  if (snapshot === undefined) {
    throw ApplicationFailure.nonRetryable(`Batch "${key.batch}" has no row ${String(key.row)}.`, 'BatchMissing');
  }
  return buildAttempt(key, batch, snapshot);
}

/** Combines the records of an attempt. */
export function buildAttempt(key: AttemptKey, batch: BatchRecord, { row, charges }: RowSnapshot): LoadedAttempt {
  const operation = operationOf(row.spec, key.step, batch.settings.tts);
  return { batch, row, charges, charge: findCharge(key, charges), operation };
}

/** Finds the record of an attempt among those of its row. */
export function findCharge(key: AttemptKey, charges: readonly ChargeRecord[]): ChargeRecord | undefined {
  return charges.find(({ step, take, attempt }) => step === key.step && take === key.take && attempt === key.attempt);
}

/**
 * Makes a report of this verdict: the row as the ledger has it, and what it needs next from the holder of the attempt.
 */
export function makeReport(verdict: SubmitReport['verdict'], key: FencedAttempt, snapshot: RowSnapshot): SubmitReport {
  const { row, charges } = snapshot;
  return { verdict, next: nextMoveFor(key, snapshot), snapshot: { row, charges } };
}

/**
 * Reports the verdict that the ledger has for an attempt; `deferred` if it has none: reconcile settles such an attempt,
 * and nothing is sent for it again.
 */
export function reportFromLedger(key: FencedAttempt, snapshot: RowSnapshot): SubmitReport {
  const state = findCharge(key, snapshot.charges)?.state;
  return makeReport(state === undefined || state === 'sending' ? 'deferred' : state, key, snapshot);
}

/** Reads what a row needs next from the holder of this attempt. */
export async function readNextMove(deps: Dependencies, key: FencedAttempt): Promise<Move> {
  const snapshot = await deps.ledger.readRow(key.batch, key.row);
  return snapshot === undefined ? { type: 'ended' } : nextMoveFor(key, snapshot);
}

/**
 * Returns what a row needs next from the holder of this fencing token: nothing if another holder has the row by now.
 * The attempt of the returned move carries the same token.
 */
export function nextMoveFor(held: Pick<RowAttempt, 'fence'>, { row, charges }: RowSnapshot): Move {
  if (isFencedOff(held, row)) return { type: 'ended' };
  const next = nextMove({ ...rowView(row), ended: row.outcome !== null }, charges);
  const { fence } = held;
  return next.type === 'ended' || fence === undefined ? next : { ...next, at: { ...next.at, fence } };
}

/** True if the row has a newer fencing token: another lane holds it, or will claim it. */
export function isFencedOff({ fence }: Pick<RowAttempt, 'fence'>, row: RowRecord): boolean {
  return fence !== undefined && fence !== row.fence;
}
