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

/** Which of the rows that earlier runs of a batch left out a run of its manifest sends. */
export interface LeftOutSelection {
  /** Selects among those that `--limit` or `--sample` left out. */
  readonly isChosen: IsChosen;
  /** Selects among those that the budget left out. */
  readonly room: SkippedRoom;
  /** False: there are none, whatever is selected. */
  readonly isAny: boolean;
}

/** `left`: credits left of the batch's budget; null: it has none. */
export async function selectLeftOut(
  ledger: Pick<Ledger, 'counts' | 'chargeOutlook'>,
  batch: Pick<BatchRecord, 'name' | 'subset'>,
  { summary, options }: Pick<SoundManifest, 'summary' | 'options'>,
  left: number | null,
): Promise<LeftOutSelection> {
  const { total, notChosen, outcomes } = await ledger.counts(batch.name);
  const { subset = null } = options;
  // A repeated subset is already complete; an earlier version may have drawn other rows for it than this one would.
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

type Choice = Pick<LeftOutSelection, 'isChosen' | 'room'>;

/** Whether there is any such row. */
export async function hasLeftOutRows(ledger: Ledger, batch: BatchRecord, choice: Choice): Promise<boolean> {
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
