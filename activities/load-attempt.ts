import { ApplicationFailure } from '@temporalio/common';
import type { AttemptKey } from '../contract/batch.ts';
import { operationOf, type Operation } from '../contract/row-kinds.ts';
import { realmDifference } from '../contract/names.ts';
import type { BatchRecord, ChargeRecord, RowRecord, RowStanding } from '../ledger/record-types.ts';
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
