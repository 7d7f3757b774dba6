import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { RowRecord } from '../../ledger/rows/row-records.ts';

/** Whether its rows' inputs were removed, at least in part. */
export function areRowsCleaned({ cleaned }: Pick<BatchRecord, 'cleaned'>): boolean {
  return cleaned.rows !== null || cleaned.unfinished?.rows === true;
}

/** Whether a row's input was removed. */
export function isRequestRemoved(batch: Pick<BatchRecord, 'cleaned'>, { input }: Pick<RowRecord, 'input'>): boolean {
  return areRowsCleaned(batch) && input.length === 0;
}
