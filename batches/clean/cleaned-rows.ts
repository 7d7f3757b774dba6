import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { RowRecord } from '../../ledger/rows/row-records.ts';

/** Returns whether `clean` removed the inputs of a batch's rows, or has begun to. */
export function areRowsCleaned({ cleaned }: Pick<BatchRecord, 'cleaned'>): boolean {
  return cleaned.rows !== null || cleaned.unfinished?.rows === true;
}

/** Returns whether `clean` removed a row's input. */
export function isRequestRemoved(batch: Pick<BatchRecord, 'cleaned'>, { input }: Pick<RowRecord, 'input'>): boolean {
  return areRowsCleaned(batch) && input.length === 0;
}
