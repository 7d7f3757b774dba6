import { ApplicationFailure } from '@temporalio/common';
import type { AttemptKey, FencedAttempt, Move, RowAttempt } from '../contract/batch.ts';
import { operationOf, type Operation } from '../contract/row-kinds.ts';
import { realmDifference } from '../contract/names.ts';
import type { BatchRecord, ChargeRecord, RowRecord, RowStanding } from '../ledger/record-types.ts';
import { nextMove } from '../policy/row-machine.ts';
import type { Dependencies } from './dependencies.ts';

/** What the ledger knows about an attempt, its row and its batch. */
export interface LoadedAttempt {
  readonly batch: BatchRecord;
  readonly row: RowRecord;
  readonly charges: readonly ChargeRecord[];
  /** The attempt's own record, if there is one. */
  readonly charge: ChargeRecord | undefined;
  readonly operation: Operation;
}

/**
 * Gives a batch as this process last read it, a fraction of a second ago at most, and makes sure that it is this worker's business: the
 * task queue already keeps realms apart, but a worker that holds a token checks again before it spends anything.
 */
export async function loadBatch(deps: Pick<Dependencies, 'batches' | 'realm'>, name: string): Promise<BatchRecord> {
  const batch = await deps.batches.read(name);
  if (batch === undefined) {
    throw ApplicationFailure.nonRetryable(`The ledger has no batch "${name}". Nothing was sent.`, 'BatchMissing');
  }
  if (realmDifference(batch, deps.realm) !== undefined) {
    throw ApplicationFailure.nonRetryable(
      `Batch "${name}" belongs to another API or account than this worker. Nothing was sent.`,
      'WrongRealm',
    );
  }
  return batch;
}

/** Reads an attempt with its row; `known` spares reading its batch again. */
export async function loadAttempt(deps: Dependencies, key: AttemptKey, known?: BatchRecord): Promise<LoadedAttempt> {
  const batch = known ?? (await loadBatch(deps, key.batch));
  const found = await deps.ledger.readRow(key.batch, key.row);
  if (found === undefined) {
    throw ApplicationFailure.nonRetryable(`Batch "${key.batch}" has no row ${String(key.row)}.`, 'BatchMissing');
  }
  return attemptOf(key, batch, found);
}

/** An attempt as it stands in records that are at hand. */
export function attemptOf(key: AttemptKey, batch: BatchRecord, { row, charges }: RowStanding): LoadedAttempt {
  const operation = operationOf(row.kind, key.step, batch.settings.tts);
  return { batch, row, charges, charge: ownCharge(key, charges), operation };
}

/** The record of this very attempt among those of its row. */
export function ownCharge(key: AttemptKey, charges: readonly ChargeRecord[]): ChargeRecord | undefined {
  return charges.find((one) => one.step === key.step && one.take === key.take && one.attempt === key.attempt);
}

/** True if the row was taken back since: another lane has it, or a claim that is still to come. */
export function isFencedOff({ fence }: Pick<RowAttempt, 'fence'>, row: RowRecord): boolean {
  return fence !== undefined && fence !== row.fence;
}

/** What a row needs next of whoever works on this attempt of it, from the ledger as it is now. */
export async function moveOf(deps: Dependencies, key: FencedAttempt): Promise<Move> {
  const found = await deps.ledger.readRow(key.batch, key.row);
  return found === undefined ? { do: 'ended' } : moveAfter(key, found.row, found.charges);
}

/** What a row needs next of the holder of this fencing token; nothing, if the row was given to another since. */
export function moveAfter(held: Pick<RowAttempt, 'fence'>, row: RowRecord, charges: readonly ChargeRecord[]): Move {
  if (isFencedOff(held, row)) return { do: 'ended' };
  const { kind, take, redoFrom } = row;
  const next = nextMove({ row: row.row, kind, take, redoFrom, ended: row.outcome !== null }, charges);
  const { fence } = held;
  return next.do === 'ended' || fence === undefined ? next : { ...next, at: { ...next.at, fence } };
}
