import { isDeepStrictEqual } from 'node:util';
import type { SoundManifest } from '../../inputs/read-manifest.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { IsChosen } from '../../policy/subset/subset.ts';
import { type SkippedRoom, rowsWithRoom } from './skipped-rows.ts';
import type { By } from '../../contract/actions.ts';
import type { Subset } from '../../contract/subset.ts';
import { LedgerMisuse } from '../../ledger/errors.ts';
import { inChunks } from '../../results/in-chunks.ts';

/**
 * Selects the rows to send now among those that earlier runs of a batch left out, because of `--limit`, `--sample` or
 * `--budget`.
 */
export interface LeftOutSelection {
  /** Selects among rows that `--limit` or `--sample` left out. */
  readonly isChosen: IsChosen;
  /** Selects among rows that the budget left out. */
  readonly room: SkippedRoom;
  /** False if no rows were left out, or none can be selected. */
  readonly isAny: boolean;
}

/**
 * Decides which of the rows left out by earlier runs are sent by a run of the same manifest: those of its subset, as
 * far as the budget reaches. `left`: credits left of the batch's budget; null if it has none.
 */
export async function selectLeftOut(
  ledger: Pick<Ledger, 'counts' | 'chargeOutlook'>,
  batch: Pick<BatchRecord, 'name' | 'subset'>,
  { summary, options }: Pick<SoundManifest, 'summary' | 'options'>,
  left: number | null,
): Promise<LeftOutSelection> {
  const { total, notChosen, outcomes } = await ledger.counts(batch.name);
  const { subset = null } = options;
  // A repeated subset is complete already, even if an earlier version of voxbatch drew other rows for it.
  const isComplete = total - notChosen === subset?.rows && isDeepStrictEqual(batch.subset, subset);
  const outlook = await ledger.chargeOutlook(batch.name);
  return {
    isChosen: isComplete ? () => false : summary.isChosen,
    room: { isChosen: isComplete ? () => true : summary.isChosen, left, outlook },
    isAny: outcomes.skipped > notChosen || (notChosen > 0 && !isComplete),
  };
}

/** Rows opened per transaction, because running work waits for it. */
const ROWS_A_TRANSACTION = 500;

type Selection = Pick<LeftOutSelection, 'isChosen' | 'room'>;

/**
 * Opens the selected rows, and the batch with them, in several transactions, so that other work gets its turn. After a
 * kill, another call opens the rest. Returns how many it opened: fewer, or none, if somebody stops the batch.
 */
export async function openNewlyChosen(
  ledger: Ledger,
  batch: BatchRecord,
  subset: Subset | null,
  { by, ...selection }: Selection & { readonly by: By },
): Promise<number> {
  let opened = 0;
  try {
    for await (const rows of inChunks(selectedRows(ledger, batch, selection), ROWS_A_TRANSACTION))
      opened += await ledger.openUnsent(batch.name, subset, rows, by);
  } catch (error) {
    // The ledger refuses to open rows of a batch that was stopped meanwhile.
    if (!(error instanceof LedgerMisuse)) throw error;
  }
  return opened;
}

/** Returns whether the selection has any row. */
export async function hasLeftOutRows(ledger: Ledger, batch: BatchRecord, selection: Selection): Promise<boolean> {
  for await (const _ of selectedRows(ledger, batch, selection)) return true;
  return false;
}

/** Yields the numbers of the selected rows. */
async function* selectedRows(
  ledger: Ledger,
  batch: BatchRecord,
  { isChosen, room }: Selection,
): AsyncGenerator<number, undefined> {
  for await (const { row } of ledger.scanRows(batch.name, { isNotChosen: true })) if (isChosen(row)) yield row.row;
  for await (const { snapshot } of rowsWithRoom(ledger, batch, room)) yield snapshot.row.row;
}
