import type { By } from '../../contract/actions.ts';
import type { Subset } from '../../contract/subset.ts';
import { LedgerMisuse } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { inChunks } from '../../results/in-chunks.ts';
import type { LeftChoice } from '../plan/choose-left.ts';
import { rowsWithRoom } from '../plan/skipped-rows.ts';

/** Rows opened per transaction, because running work waits for it. */
const ROWS_A_TRANSACTION = 500;

/**
 * Opens the rows of a subset that earlier runs, or the budget, left out, and the batch with them, in portions, so that
 * other work gets its turn. After a kill, another call opens the rest. Returns how many it opened: fewer, or none, if
 * somebody stops the batch.
 */
export async function openNewlyChosen(
  ledger: Ledger,
  batch: BatchRecord,
  subset: Subset | null,
  { by, ...choice }: Choice & { readonly by: By },
): Promise<number> {
  let opened = 0;
  try {
    for await (const rows of inChunks(chosenRows(ledger, batch, choice), ROWS_A_TRANSACTION))
      opened += await ledger.openUnsent(batch.name, subset, rows, by);
  } catch (error) {
    if (!(error instanceof LedgerMisuse)) throw error;
  }
  return opened;
}

type Choice = Pick<LeftChoice, 'isChosen' | 'room'>;

/** Whether there is any such row. */
export async function isAnyLeft(ledger: Ledger, batch: BatchRecord, choice: Choice): Promise<boolean> {
  for await (const _ of chosenRows(ledger, batch, choice)) return true;
  return false;
}

/** Numbers of the rows that earlier runs, or the budget, left out and that are chosen now. */
async function* chosenRows(
  ledger: Ledger,
  batch: BatchRecord,
  { isChosen, room }: Choice,
): AsyncGenerator<number, undefined> {
  for await (const { row } of ledger.scanRows(batch.name, { isNotChosen: true })) if (isChosen(row)) yield row.row;
  for await (const { standing } of rowsWithRoom(ledger, batch, room)) yield standing.row.row;
}
