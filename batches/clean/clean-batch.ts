import type { By } from '../../contract/actions.ts';
import type { CleanParts } from '../../contract/cleaning.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { isInDoubt } from '../../policy/reconcile/in-doubt.ts';
import { isRequestRemoved } from './cleaned-rows.ts';
import { DiskSum, NO_MEDIA, type MediaSum } from '../cache/disk-sum.ts';
import { inChunks } from '../../results/in-chunks.ts';
import { rowOfKey } from '../../store/layout.ts';
import type { Store } from '../../store/store.ts';

/** Which parts of a batch to remove, and where they are. */
export interface CleanRequest {
  readonly ledger: Pick<Ledger, 'beginClean' | 'cleanRows' | 'endClean' | 'scanRows' | 'readRow'>;
  readonly store: Pick<Store, 'list' | 'measure' | 'remove'>;
  readonly batch: Pick<BatchRecord, 'name' | 'rows' | 'layout' | 'state' | 'cleaned'>;
  readonly parts: CleanParts;
  /** Who requested it, for the ledger's record. */
  readonly by: By;
  /** Only report what would be removed. */
  readonly isDryRun?: boolean;
}

/**
 * Result of a clean. `not-closed`, `undecided`: nothing was changed, because the batch is open, or because this many
 * rows ended `unknown` or `overdue` and their inputs are needed to settle them.
 */
export type CleanEnd =
  | {
      readonly type: 'cleaned';
      /** Number of rows cleaned. When inputs are removed, excludes rows whose input an earlier clean removed. */
      readonly rows: number;
      /** Rows left untouched because new evidence about them may still appear. */
      readonly inDoubt: number;
      readonly media: MediaSum;
    }
  | { readonly type: 'not-closed' }
  | { readonly type: 'undecided'; readonly rows: number };

/** Rows cleaned per transaction: running work of other batches waits for it. */
const ROWS_A_TRANSACTION = 500;
/** Files measured and removed per call of the store. */
const FILES_AT_ONCE = 256;

/**
 * Removes a finished batch's media, its rows' inputs, or both. Its bill stays, as do files that other batches made from
 * its results. A killed clean is completed by the next one. Records are removed first: a file left without a record is
 * found in the batch's folder.
 */
export async function cleanBatch(request: CleanRequest): Promise<CleanEnd> {
  const { ledger, batch, parts, isDryRun = false } = request;
  if (isDryRun) return forecast(request);
  const before = await cleanedBefore(request);
  const start = await ledger.beginClean(batch.name, parts, request.by);
  if (start.type !== 'begun') return start;
  const inDoubt = await cleanRecords(request);
  // Includes the parts of an earlier clean that was killed.
  const media = start.parts.media ? await cleanMedia(request, inDoubt) : NO_MEDIA;
  await ledger.endClean(batch.name);
  return { type: 'cleaned', rows: batch.rows - inDoubt.size - before, inDoubt: inDoubt.size, media };
}

/** Forecasts a clean from the current state. */
async function forecast(request: CleanRequest): Promise<CleanEnd> {
  const { ledger, batch, parts } = request;
  if (batch.state !== 'closed') return { type: 'not-closed' };
  const inDoubt = new Set<number>();
  let undecided = 0;
  for await (const { row, charges } of ledger.scanRows(batch.name)) {
    if (!isInDoubt(row, charges)) continue;
    inDoubt.add(row.row);
    if (row.outcome === 'unknown' || row.outcome === 'overdue') undecided++;
  }
  if (parts.rows && undecided > 0) return { type: 'undecided', rows: undecided };
  const media = parts.media ? await cleanMedia(request, inDoubt) : NO_MEDIA;
  const before = await cleanedBefore(request);
  return { type: 'cleaned', rows: batch.rows - inDoubt.size - before, inDoubt: inDoubt.size, media };
}

/** Number of rows whose inputs were removed by an earlier, completed clean. */
async function cleanedBefore({ ledger, batch, parts }: CleanRequest): Promise<number> {
  if (!parts.rows || batch.cleaned.rows === null || batch.cleaned.unfinished !== null) return 0;
  let count = 0;
  for await (const { row } of ledger.scanRows(batch.name)) if (isRequestRemoved(batch, row)) count++;
  return count;
}

/** Removes inputs and texts from the ledger. Returns the rows in doubt, whose records stay. */
async function cleanRecords({ ledger, batch }: CleanRequest): Promise<ReadonlySet<number>> {
  const inDoubt = new Set<number>();
  for (let first = 1; first <= batch.rows; first += ROWS_A_TRANSACTION) {
    const length = Math.min(ROWS_A_TRANSACTION, batch.rows + 1 - first);
    const some = Array.from({ length }, (_, at) => first + at);
    const cleaned = new Set(await ledger.cleanRows(batch.name, some));
    for (const row of some) if (!cleaned.has(row)) inDoubt.add(row);
  }
  return inDoubt;
}

/** Removes all files in the batch's folder of the store, recorded or not, except those of the rows to keep. */
async function cleanMedia(
  { ledger, store, batch, isDryRun = false }: CleanRequest,
  keep: ReadonlySet<number>,
): Promise<MediaSum> {
  const sum = new DiskSum();
  const isKept = async (row: number): Promise<boolean> => {
    if (keep.size === 0 || row <= batch.rows) return keep.has(row);
    // A number beyond the manifest's rows is a part's, which stays with its row.
    return keep.has(row) || keep.has((await ledger.readRow(batch.name, row))?.row.partOf ?? 0);
  };
  for await (const keys of inChunks(store.list(batch.layout.stem), FILES_AT_ONCE)) {
    const gone: string[] = [];
    for (const key of keys) {
      const row = rowOfKey(key);
      if (row !== undefined && !(await isKept(row))) gone.push(key);
    }
    await sum.remove(store, gone, isDryRun);
  }
  return sum.result();
}
