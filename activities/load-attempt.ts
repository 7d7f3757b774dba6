import { ApplicationFailure } from '@temporalio/common';
import type { AttemptKey, Move } from '../contract/batch.ts';
import { operationOf, type Operation } from '../contract/row-kinds.ts';
import type { BatchRecord, ChargeRecord, RowRecord } from '../ledger/record-types.ts';
import { nextMove } from '../workflows/policy/row-machine.ts';
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
 * Reads a batch, and makes sure that it is this worker's business: the task queue already keeps realms apart, but a worker
 * that holds a token checks again before it spends anything.
 */
export async function loadBatch(deps: Pick<Dependencies, 'ledger' | 'realm'>, name: string): Promise<BatchRecord> {
  const batch = await deps.ledger.findBatch(name);
  if (batch === undefined) {
    throw ApplicationFailure.nonRetryable(`The ledger has no batch "${name}". Nothing was sent.`, 'BatchMissing');
  }
  if (batch.apiUrl !== deps.realm.apiUrl || batch.account !== deps.realm.account) {
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
  const { row, charges } = found;
  const charge = charges.find((one) => one.step === key.step && one.take === key.take && one.attempt === key.attempt);
  return { batch, row, charges, charge, operation: operationOf(row.kind, key.step, batch.settings.tts) };
}

/** What a row needs next, from the ledger as it is now. */
export async function moveOf(deps: Dependencies, batch: string, row: number): Promise<Move> {
  const found = await deps.ledger.readRow(batch, row);
  return found === undefined ? { do: 'ended' } : moveFor(found.row, found.charges);
}

export function moveFor(row: RowRecord, charges: readonly ChargeRecord[]): Move {
  const { kind, take, redoFrom } = row;
  return nextMove({ row: row.row, kind, take, redoFrom, ended: row.outcome !== null }, charges);
}
