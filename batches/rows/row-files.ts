import type { BatchRecord, RowRecord } from '../../ledger/record-types.ts';
import { UnfitName } from '../../results/names.ts';
import { filesOf, type RowFile } from '../../results/result-line.ts';

/** The files of a row and their paths below the out folder, the result first; none if no valid name can be made. */
export function namedFiles(row: RowRecord, batch: BatchRecord): readonly RowFile[] {
  // A part's file is only in the store.
  if (row.partOf !== null) return [];
  try {
    return filesOf(row, batch);
  } catch (error) {
    // The file is in the store; `results` says which part of the name is wrong.
    if (error instanceof UnfitName) return [];
    throw error;
  }
}
